// Pages for man, in its macro language.
#include "manual.h"

#include "report/report.h"
#include "supple/base.h"

#include <stdio.h>
#include <string.h>

static void put_char(char c)
{
    if (c == '\\') fputs("\\e", stdout);
    else if (c == '-') fputs("\\-", stdout); // a hyphen that can be copied into a shell
    else if (c == '\'') fputs("\\(aq", stdout);
    else if (c == '`') fputs("\\(ga", stdout);
    else if (c == '^') fputs("\\(ha", stdout);
    else if (c == '~') fputs("\\(ti", stdout);
    else putchar(c);
}

// One line of text. A leading period would be a macro.
static void put_line(const char* text, size_t length)
{
    if (length && text[0] == '.') fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++) put_char(text[i]);
    putchar('\n');
}

static void put_upper(const char* text)
{
    for (; *text; text++) put_char(*text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text);
}

static void put_title(const char* verb_name)
{
    fputs(".\\\" Printed by 'supple manual' from the tables of the program.\n.TH SUPPLE", stdout);
    if (verb_name) fputs("\\-", stdout), put_upper(verb_name);
    printf(" 1 \"\" \"supple %s\" \"Supple\"\n", SUP_VERSION);
}

// Lines that begin with two spaces are commands to copy, and stay unchanged.
static void put_details(const char* text)
{
    bool literal = false;
    for (const char* at = text; at && *at;) {
        size_t length = strcspn(at, "\n");
        bool   example = length > 2 && at[0] == ' ' && at[1] == ' ';
        if (example != literal) puts(example ? ".PP\n.RS 4\n.nf" : ".fi\n.RE");
        literal = example;
        if (length == 0) {
            if (!(at[1] == ' ' && at[2] == ' ') && at[1]) puts(".PP");
        } else put_line(example ? at + 2 : at, example ? length - 2 : length);
        at += length + (at[length] == '\n');
    }
    if (literal) puts(".fi\n.RE");
}

static void put_flags(const verb* v)
{
    puts(".SH OPTIONS");
    for (uint32_t i = 0; i < FLAG_COUNT; i++) {
        const flag_row* row = options_flag(i);
        if (!(row->verbs & v->bit)) continue;
        fputs(".TP\n\\fB\\-\\-", stdout);
        for (const char* c = row->name; *c; c++) put_char(*c);
        fputs("\\fR", stdout);
        if (row->argument) {
            fputs(" \\fI", stdout);
            for (const char* c = row->argument; *c; c++) put_char(*c);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        put_line(row->help, strlen(row->help));
    }
}

static void put_exit_status(void)
{
    puts(".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nFailed; a sentence on standard error says why, and no file is "
         "half\\-written.\n"
         ".TP\n2\nWrong usage.\n.TP\n3\nA quality limit was exceeded.");
}

static void put_verb_page(const verb* verbs, uint32_t count, const verb* v)
{
    put_title(v->name);
    printf(".SH NAME\nsupple\\-%s \\- ", v->name);
    put_line(v->summary, strlen(v->summary));
    printf(".SH SYNOPSIS\n\\fBsupple %s\\fR ", v->name);
    for (const char* c = v->words; *c; c++) put_char(*c);
    puts(" [\\fIoptions\\fR]\n.SH DESCRIPTION");
    fputs(v->summary, stdout);
    puts(".");
    if (v->details) puts(".PP"), put_details(v->details);
    put_flags(v);
    put_exit_status();
    puts(".SH SEE ALSO\n.BR supple (1)");
    for (uint32_t i = 0; i < count; i++)
        if (&verbs[i] != v) printf(".BR supple\\-%s (1)\n", verbs[i].name);
}

static void put_first_page(const verb* verbs, uint32_t count)
{
    put_title(NULL);
    puts(".SH NAME\nsupple \\- turn a posed character into living skin\n.SH SYNOPSIS\n\\fBsupple\\fR \\fIverb\\fR "
         "\\fIinput\\fR [\\fIoutput\\fR] [\\fIoptions\\fR]\n.SH DESCRIPTION\n"
         "Supple deforms the skin of rigged characters: it reads a character and its motion, runs a chain of deformers over "
         "it,\n"
         "and writes, draws or measures the result.\n.SH VERBS");
    for (uint32_t i = 0; i < count; i++) {
        printf(".TP\n\\fB%s\\fR ", verbs[i].name);
        put_line(verbs[i].words, strlen(verbs[i].words));
        fputs(verbs[i].summary, stdout);
        printf("; see \\fBsupple\\-%s\\fR(1).\n", verbs[i].name);
    }
    puts(
        ".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nThe verbs; behind a verb, its flags.\n.TP\n\\fB\\-\\-version\\fR\nThe version.");
    put_exit_status();
    puts(".SH EXAMPLES\n.nf\nsupple bake builtin:beast beast.glb \\-\\-clip walk \\-\\-deform dualquat\n.fi\n.SH SEE ALSO");
    for (uint32_t i = 0; i < count; i++) printf(".BR supple\\-%s (1)\n", verbs[i].name);
}

int manual_page(const verb* verbs, uint32_t verb_count, int argc, char** argv)
{
    if (argc == 0) {
        put_first_page(verbs, verb_count);
        return EXIT_DONE;
    }
    for (uint32_t i = 0; i < verb_count; i++) {
        if (argc != 1 || strcmp(argv[0], verbs[i].name) != 0) continue;
        put_verb_page(verbs, verb_count, &verbs[i]);
        return EXIT_DONE;
    }
    report_error("there is no page '%s'; write: supple manual [VERB]", argv[0]);
    return EXIT_USAGE;
}
