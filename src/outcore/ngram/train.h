/* outcore ngram train: makes the model of outcore ngram, from texts in
 * each language. */
#ifndef OUTCORE_NGRAM_TRAIN_H
#define OUTCORE_NGRAM_TRAIN_H

int ngram_train(int argc, char **argv);

#endif
