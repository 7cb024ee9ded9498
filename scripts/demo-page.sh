#!/bin/sh
# The end of `make demo`: the studio, in the person's browser. On a terminal it serves until Ctrl-C; elsewhere it says the command.
cd "$(dirname "$0")/.."
echo
if [ -t 0 ] && [ -t 1 ]; then
    echo "Last, the studio: drop a character of your own on the page."
    exec build/supple studio
fi
echo "The studio, where you drop a character of your own: build/supple studio"
