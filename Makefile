# For people. Underneath is CMake with presets: see CMakePresets.json and CONTRIBUTING.md.
PREFIX  ?= /usr/local
SECONDS ?= 20
CASES   ?= 1000
SEED    ?= 1
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all setup demo test test-full test-blender test-slurm characters bench peers wasm npm doors npm-sizes studio studio-budget python blender-addon fuzz hostile install package windows docs realism curve-figures format tidy clean help

all: ## the program and the libraries, in build/ (the default)
	@scripts/build.sh release $(JOBS) supple_program supple_static supple supple_io_static supple_io supple_io_extra supple_io_extra_static supple_flat

setup: ## install what building and testing need and is missing
	@scripts/setup.sh test

demo: ## bake the built-in characters with every deformer, say which files to open, and show the studio
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory all
	@build/supple demo
	@$(MAKE) --no-print-directory studio
	@scripts/demo-page.sh

test: ## builds the release and the WebAssembly modules and runs their tests
	@scripts/test.sh $(JOBS)

test-full: ## what make test leaves out: clang, sanitizers, a short fuzz, slow tests
	@scripts/test.sh $(JOBS) full

test-blender: ## Blender opens what we write and runs the add-on (installs Debian's blender, 433 MB)
	@scripts/setup.sh blender
	@$(MAKE) --no-print-directory blender-addon
	@tests/blender/run.sh build/supple
	@tests/blender/addon.sh out/blender/supple_skin-*.zip build/supple

test-slurm: ## farms under a Slurm of two nodes on this machine's loopback: an array, ranks, a kill, a drain, a requeue (needs root)
	@scripts/setup.sh slurm
	@$(MAKE) --no-print-directory all
	@node tests/slurm/run.mjs build/supple

characters: all ## bake every character of FOLDER (../shared/data/skinned), play it in three.js, leave pictures in out/characters
	@scripts/setup.sh test
	@node tests/three/characters.mjs build/supple "$(or $(FOLDER),../shared/data/skinned)" out/characters

bench: all ## the shared scenes, timed
	@build/supple bench

peers: all npm ## docs/performance.md: other engines beside ours on this machine (Debian's blender and npm, some minutes)
	@scripts/setup.sh blender
	@scripts/setup.sh test
	@cd bench/peers && npm ci --no-audit --no-fund
	@node bench/peers/peers.mjs build/supple ../shared/data/skinned docs/performance.md

wasm: ## the flat interface as WebAssembly, build-wasm/supple.wasm
	@scripts/build.sh wasm $(JOBS)

python: all ## the Python package as a wheel, out/python/supple-*.whl
	@python3 bindings/python/build_wheel.py build/libsupple_flat.so out/python

blender-addon: all ## the Blender add-on with the Python package inside, out/blender/supple_skin-*.zip
	@python3 integrations/blender/build_addon.py build/libsupple_flat.so out/blender

npm: wasm ## the package for pages and Node, bindings/js/dist, packed as build-wasm/supple-skin-*.tgz
	@scripts/setup.sh test
	@bindings/js/build.sh
	@cd bindings/js && npm pack --silent --pack-destination ../../build-wasm

doors: npm blender-addon ## one scene per deformer through every door: program, C, Node, Chromium, Python, and Blender and wine where they are here
	@[ ! -x build-windows/supple ] || scripts/build.sh windows $(JOBS) supple_program
	@node bindings/js/test/doors.mjs build build-windows out/blender/supple_skin-*.zip

npm-sizes: ## the tables of bindings/js/README.md: the module without this and that (16 builds, some minutes)
	@node bindings/js/sizes.mjs

studio: ## the studio's page, build/studio: 'supple studio' serves it, and any other web server can
	@scripts/setup.sh studio
	@$(MAKE) --no-print-directory all wasm
	@scripts/studio.sh build/studio

studio-budget: studio ## the studio's budgets, measured: bytes, first movement, blocking, answer to a slider, memory (docs/studio.md)
	@node tests/studio/budget.mjs build/supple

fuzz: ## run every fuzzer for SECONDS (20) each
	@scripts/build.sh fuzz $(JOBS)
	@scripts/fuzz.sh $(SECONDS) 0 $(JOBS)

hostile: ## CASES (1000) damaged characters from SEED (1) on through every deformer, under the address sanitizer
	@scripts/build.sh asan $(JOBS) hostile
	@build-asan/tests/hostile_cases --cases $(CASES) --seed $(SEED) --every --keep-going

install: all ## into PREFIX (/usr/local), with the studio's page where make studio made it
	@[ -f build/studio/index.html ] || echo "build/studio is not there: 'supple studio' is installed without its page (make studio makes it)"
	@cmake --install build --prefix $(abspath $(PREFIX))

package: ## Debian packages in build-package/, checked with lintian and tried in a clean root
	@scripts/setup.sh package
	@scripts/setup.sh studio
	@scripts/package.sh $(JOBS)
	@scripts/package-check.sh

windows: ## supple.exe and the DLLs by mingw-w64 in build-windows/, tried under wine (installs both, 700 MB)
	@scripts/setup.sh windows
	@scripts/windows.sh $(JOBS)

docs: all ## the parameter tables of docs/deformers, the deformers and verbs of docs/index.md, from the program's own description
	@node scripts/update-docs.mjs build/supple

curve-figures: all ## docs/curves.json: the figures in the pages about beam, fourier and bend (some minutes)
	@node scripts/curve-figures.mjs measure build

realism: all ## docs/realism.md: every deformer against real sequences (needs ../shared/data, some minutes)
	@node scripts/realism.mjs build/supple ../shared/data docs/realism.md

format: ## clang-format over all C files
	@git ls-files '*.c' '*.h' | xargs clang-format -i

tidy: ## clang-tidy over the library and the program
	@scripts/build.sh release $(JOBS)
	@git ls-files 'src/*.c' 'scenes/*.c' 'apps/*.c' | xargs -P $(JOBS) -n 8 clang-tidy -p build --quiet

clean: ## remove every build tree
	@rm -rf build build-debug build-clang build-asan build-tsan build-fuzz build-wasm build-wasm-play build-wasm-sizes build-package build-windows bindings/js/dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F '|' '{ printf "  %-16s %s\n", $$1, $$2 }'
