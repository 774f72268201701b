/*
 * picture.c - the program in the README's flame graph: reads orders, sorts them, and writes a compressed
 * invoice for each customer.  README.md beside this file has the command that recorded it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CUSTOMERS 60
#define ORDERS 90000

struct order {
	unsigned customer;
	double price;
	char item[16];
};

static struct order orders[ORDERS];

__attribute__((noinline)) static void make_orders(const char *file)
{
	FILE *out = fopen(file, "w");

	for (unsigned i = 0; i < ORDERS; i++)
		fprintf(out, "%u item-%u %.2f\n", i * 7919 % CUSTOMERS, i % 97, i * 31 % 1000 / 10.0);
	fclose(out);
}

__attribute__((noinline)) static int parse_order(const char *line, struct order *order)
{
	return sscanf(line, "%u %15s %lf", &order->customer, order->item, &order->price) == 3;
}

__attribute__((noinline)) static size_t load_orders(const char *file)
{
	FILE *in = fopen(file, "r");
	char line[100];
	size_t n = 0;

	while (fgets(line, sizeof(line), in))
		n += parse_order(line, &orders[n]);
	fclose(in);
	return n;
}

static int compare_items(const struct order *x, const struct order *y) { return strcmp(x->item, y->item); }

static int compare_orders(const struct order *x, const struct order *y)
{
	if (x->customer != y->customer)
		return x->customer < y->customer ? -1 : 1;
	return x->price > y->price ? -1 : x->price < y->price ? 1 : compare_items(x, y);
}

__attribute__((noinline)) static void sift_down(size_t at, size_t n)
{
	struct order moved = orders[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare_orders(&orders[child + 1], &orders[child]) > 0)
			child++;
		if (compare_orders(&orders[child], &moved) <= 0)
			break;
		orders[at] = orders[child];
	}
	orders[at] = moved;
}

/* A heap sort: unlike qsort(), it needs no tower of calls. */
__attribute__((noinline)) static void sort_orders(size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(i, n);
	while (n-- > 1) {
		struct order largest = orders[0];

		orders[0] = orders[n];
		orders[n] = largest;
		sift_down(0, n);
	}
}

__attribute__((noinline)) static void render_row(gzFile out, const struct order *order)
{
	gzprintf(out, "<tr><td>%s<td>%.2f\n", order->item, order->price);
}

__attribute__((noinline)) static void write_invoice(const char *folder, const struct order *from,
						    const struct order *to)
{
	char name[200];
	gzFile out;

	snprintf(name, sizeof(name), "%s/%u.html.gz", folder, from->customer);
	out = gzopen(name, "w6");
	for (; from < to; from++)
		render_row(out, from);
	gzclose(out);
}

__attribute__((noinline)) static void write_invoices(const char *folder, size_t n)
{
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i; next < n && orders[next].customer == orders[i].customer;)
			next++;
		write_invoice(folder, &orders[i], &orders[next]);
	}
}

__attribute__((noinline)) static void handle_day(const char *folder, const char *file)
{
	size_t n = load_orders(file);

	sort_orders(n);
	write_invoices(folder, n);
}

int main(int argc, char **argv)
{
	char file[200];

	snprintf(file, sizeof(file), "%s/orders", argc > 1 ? argv[1] : ".");
	make_orders(file);
	for (int day = 0; day < 6; day++)
		handle_day(argc > 1 ? argv[1] : ".", file);
	return 0;
}
