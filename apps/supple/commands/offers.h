/// offers.h: what simulations would cost a check, said instead of running them.
#ifndef SUPPLE_APP_OFFERS_H
#define SUPPLE_APP_OFFERS_H

#include "report/check_report.h"

enum { OFFERS_MAX = 8 };

typedef struct offer {
    const char* chain;
    double      seconds; ///< about; negative: binding alone was not done within the time there is to find out
} offer;

typedef struct offers {
    uint32_t count;
    offer    items[OFFERS_MAX];
} offers;

/// Every dynamic deformer that suits the character, bound and stepped for a moment; at most a second for all of them, unless a
/// bind looks at the clock more rarely.
sup_result offers_make(const sup_checkup* c, const sup_clip* clip, offers* out, sup_error* error);
/// "layers would take about 40 s; add --deform layers".
void offer_text(const sup_checkup* c, const offer* one, char* text, size_t size);

#endif
