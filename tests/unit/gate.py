# gate.py - compares what `gate numbers` prints with scipy: Student's distribution, derivatives of the gamma
# function, and moderated variances (limma's fitFDist() with covariates, written anew).  Prints what differs.
import sys

import numpy as np
from scipy import optimize, special, stats

differences = 0


def same(what, ours, theirs, within=1e-9):
    global differences
    if not abs(ours - theirs) <= within * max(abs(theirs), 1e-300):
        print(f"{what}: {ours:.15g}, and scipy says {theirs:.15g}")
        differences += 1


variances, sizes, moderated, freedom = [], [], [], None
lines = 0
for line in sys.stdin:
    kind, *numbers = line.split()
    numbers = [float(number) for number in numbers]
    lines += 1
    if kind == "t":
        df, tail, beyond, after = numbers
        same(f"t beyond {tail} of {df}", beyond, stats.t.isf(tail, df), 1e-7)
        same(f"tail of {beyond * 1.1} of {df}", after, stats.t.sf(beyond * 1.1, df))
    elif kind == "gamma":
        x, digamma, trigamma, inverse = numbers
        same(f"digamma {x}", digamma, special.digamma(x))
        same(f"trigamma {x}", trigamma, special.polygamma(1, x))
        same(f"inverse of trigamma {x}", special.polygamma(1, inverse), x)
    elif kind == "expected":
        freedom = numbers[0]
    elif kind == "variance":
        variances.append(numbers[0])
        sizes.append(numbers[1])
        moderated.append(numbers[2])

d = 4
s2, mu = np.array(variances), np.array(sizes)
e = np.log(s2) - special.digamma(d / 2) + np.log(d / 2)
terms = np.column_stack([np.ones(len(mu)), 1 / mu, np.log(mu)])
fit = terms @ np.linalg.lstsq(terms, e, rcond=None)[0]
more = np.sum((e - fit) ** 2) / (len(e) - 3) - special.polygamma(1, d / 2)
if more > 0:
    d0 = 2 * optimize.brentq(lambda x: special.polygamma(1, x) - more, 1e-6, 1e9)
    same("degrees that are expected", freedom, d0, 1e-6)
    s02 = np.exp(fit + special.digamma(d0 / 2) - np.log(d0 / 2))
    expected = (d0 * s02 + d * s2) / (d0 + d)
else:
    same("degrees that are expected", freedom, np.inf)
    expected = np.exp(fit)
for ours, theirs in zip(moderated, expected):
    same("a moderated variance", ours, theirs, 1e-6)
if lines != 49:
    print(f"{lines} lines, not 49")
    differences += 1
sys.exit(differences > 0)
