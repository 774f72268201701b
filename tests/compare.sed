# compare.sed - messages of earlier builds, as they are worded now; for compare.sh.
s/ of them against what rounds promise/ of them break the promise of a round/
s/ records after a later one, the worst by / records after a newer one, by up to /
s/had been let go/had been released/
s/more than may be held came without a round: the older half was let go early/too many records came without a round: the older half was released early/
s/with an id that no event attribute has/whose id belongs to no event/
s/own left out, too long for a stream/own format left out: too long for a stream/
s/it counts as unsealed/it is treated as unsealed/
s/a stage before this one met damage/an earlier stage met damage/
s/sound, but a stage before met damage/sound, but an earlier stage met damage/
s/killed: the file was not ended/killed: the recorder did not finish the file/
s/the recording was not ended, or is damaged: it/the recording is unfinished or damaged: it/
s/; pp-cat makes a stream of what perf record --threads left in one/; pp-cat turns a folder of perf record --threads into a stream/
s/ dropped, whose event no attribute describes/ dropped: no attribute describes its event/
s/attribute cut, which asked for more than it knows/attribute cut: it asked for more than the reader knows/
s/attributes cut to the fields that it knows/attributes cut to the fields that the reader knows/
s/STAT_CONFIG cut, which has settings that it does not know/STAT_CONFIG cut: it has settings that the reader does not know/
s/what it carries ends too early/its contents end too early/
s/it has seals, but not the last one/its last seal is missing/
s/pp-merge makes one of several/pp-merge combines several/
s/perf 6.1 inject -i writes such/perf inject -i of 6.1 writes such streams/
s/it is not taken for what its type says/it is not interpreted/
s/seal \([0-9]*\) was made for other bytes than those before it/seal \1 does not match the bytes before it/
s/changes them too, which --no-verify passes/changes them too; --no-verify ignores seals/
s/\([0-9]*\) is the id of no event attribute/\1 is an id that belongs to no event attribute/
s/, which a round let go/, which a round had released/
s/both were there when the recording began/both existed when the recording began/
s/an attribute has 64 bytes at least, not/an attribute has at least 64 bytes, not/
s/its records have their id elsewhere than those of the first event/its records do not have their id where the first event has it/
s/it stands after the end of features/it comes after the end of features/
s/ was told before/ was given before/
s/ stands after feature / comes after feature /
s/NRCPUS has to stand before it/NRCPUS has to come before it/
s/it stands among other records than seals and notes/it is neither at the beginning nor at the end of the stream/
s/what it carries is no seal and no note/its payload is neither a seal nor a note/
s/\(the type of this record\|feature [0-9]*\) is not known/\1 is unknown/
s/\(bits 0x[0-9a-f]*\) are not known/\1 are unknown/
s/no event attribute has the id of this record/the id of this record belongs to no event attribute/
s/whoever recorded it did not end it/its recorder did not finish it/
s/no feature COMPRESSED stands before it/the feature COMPRESSED is missing before it/
s/the feature COMPRESSED, and nothing/the feature COMPRESSED, but nothing/
s/which perf does not read since version 7/which perf refuses since version 7/
s/no event attribute has its id/its id belongs to no event attribute/
s/it is older than what a round let go/it is older than what a round released/
s/its \(time\|size\) cannot be/its \1 is impossible/
s/its fields cannot be/its fields are impossible/
s/its end is not there/its end is missing/
s/its data are not all there/part of its data is missing/
s/a seal that was there before/a repeated seal/
s/the end of its data, made zeros/the end of its data, replaced by zeros/
s/a piece of what cannot be expanded/a piece of data that cannot be expanded/
s/the end of what is compressed is missing/the end of the compressed data is missing/
s/would be before 0: they are 1 ns now/would be negative: they are set to 1 ns/
s/whose header stays/whose header is kept/
s/ renumbered, which another event or host had/ renumbered: used by another event or host/
s/as the wall clocks tell/as the wall clocks show/
s/no record in it/it has no records/
s/\(round\|event\)\(s*\) made again/\1\2 restored/
