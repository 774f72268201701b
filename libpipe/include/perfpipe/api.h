/* api.h - what marks a declaration as public, and a result as one that has to be looked at. */
#ifndef PERFPIPE_API_H
#define PERFPIPE_API_H

#if defined(__GNUC__) || defined(__clang__)
#define PP_API __attribute__((visibility("default")))
#define PP_MUST_CHECK __attribute__((warn_unused_result))
#define PP_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define PP_API
#define PP_MUST_CHECK
#define PP_PRINTF(format_at, args_at)
#endif

#endif
