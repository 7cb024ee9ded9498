/// offers.h: what simulations would cost a check, reported instead of running them.
#ifndef SUPPLE_APP_OFFERS_H
#define SUPPLE_APP_OFFERS_H

#include "report/check_report.h"

enum { OFFERS_MAX = 8 };

typedef struct offer {
    const char* chain;
    double      seconds; ///< estimated; negative: not even binding finished within the time for the estimate
} offer;

typedef struct offers {
    uint32_t count;
    offer    items[OFFERS_MAX];
} offers;

/// Binds and briefly steps every dynamic deformer that fits the character; at most a second for all of them, unless a bind
/// checks the clock less often.
sup_result offers_make(const sup_checkup* c, const sup_clip* clip, offers* out, sup_error* error);
/// "layers would take about 40 s; add --deform layers".
void offer_text(const sup_checkup* c, const offer* one, char* text, size_t size);

#endif
