# The targets for users and developers. Each target does its own set-up with the scripts in ground/.
#
# PG_CONFIG names the server to build for and to test on, PostgreSQL 15 to 18. The default is a pinned
# PostgreSQL 18 with pgvector, which is downloaded into target/. GRAMMARS names the languages whose source code
# SQL splits by its syntax, such as 'python rust'; the default is all, and `no` is none.

export PG_CONFIG
export DESTDIR
export BINDIR
export GRAMMARS
export VALGRIND

.PHONY: help all demo check interop check-assert docs pictures install install-client package crates installcheck server stop url corpus fuzz fuzz-grammars bench quality scale upgrades release-check hook lint clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

demo: ## load real documents into a private server and ask three questions
	@ground/demo

check: ## run every test on a temporary server
	@ground/check

interop: install ## test drivers and frameworks of other languages, and clients of the servers
	@ground/interop

check-assert: ## run the SQL tests on a PostgreSQL with assertions; VALGRIND=yes adds valgrind
	@ground/check-assert

all: ## build the extension without installing it
	@ground/build >/dev/null

install: ## build and install the extension into the server of PG_CONFIG; GRAMMARS=no or 'python rust' saves memory
	@ground/install

install-client: ## build the client and install it into cargo's folder for programs, or BINDIR
	@ground/install-client

package: ## build Debian packages and archives for the server of PG_CONFIG, with the client, in target/packages
	@ground/package

crates: ## package the crates of core and client, and build them as crates.io would; publishes nothing
	@cargo publish --dry-run -p passage-core -p passage-http -p passage-source -p passage-embed -p passage-store -p passage

installcheck: install ## run the SQL regress tests by pg_regress
	@ground/regress

server: install ## start the private server and print its URL
	@ground/server start

stop: ## stop the private server
	@ground/server stop

corpus: ## split and check thousands of real files of every kind
	@ground/corpus-files

fuzz: ## fuzz the splitters, for SECONDS=600 each
	@ground/fuzz $(or $(SECONDS),600)

fuzz-grammars: ## fuzz the grammars of code under AddressSanitizer, for SECONDS=1800 of CPU time each
	@ground/fuzz-grammars $(or $(SECONDS),1800)

bench: ## measure the ratios in docs/benchmarks.md
	@ground/bench

scale: ## compare stores on Citus with plain ones, on the server of PG_CONFIG, which must have Citus
	@ground/scale

upgrades: ## test pg_upgrade and dumps from PostgreSQL 15, 16 and 17 to newer ones; a release runs it
	@ground/upgrades

release-check: ## run as root what a release needs besides `make check`: upgrades, each server, packages, crates
	@ground/release-check

quality: ## measure search and fragments with questions whose answers are known
	@ground/quality

docs: ## build a searchable site of the documentation in target/docs
	@ground/docs

pictures: ## draw the pictures of the documentation again, from real data
	@ground/pictures

hook: ## let git run the fast part of `make lint` before each commit
	@ground/hook

lint: ## check format, clippy, language, cycles of modules, licenses, sources and container files
	@ground/lint

clean: ## stop the server and remove all downloads and builds
	@ground/clean
