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
export PUBLISH

.PHONY: help all demo check interop check-assert docs pictures install install-client package crates installcheck server stop url corpus fuzz fuzz-grammars bench quality scale upgrades release-check hook lint clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

demo: ## load real documents into a private server and ask three questions
	@ground/docs/demo

check: ## run every test on a temporary server
	@ground/check/all

interop: install ## test drivers and frameworks of other languages, and clients of the servers
	@ground/check/interop

check-assert: ## run the SQL tests on a PostgreSQL with assertions; VALGRIND=yes adds valgrind
	@ground/check/assert

all: ## build the extension without installing it
	@ground/build/extension >/dev/null

install: ## build and install the extension into the server of PG_CONFIG; GRAMMARS=no or 'python rust' saves memory
	@ground/build/install

install-client: ## build the client and install it into cargo's folder for programs, or BINDIR
	@ground/build/install-client

package: ## build Debian packages and archives for the server of PG_CONFIG, with the client, in target/packages
	@ground/package/packages

crates: ## package the crates of core and client, and build them as crates.io would; PUBLISH=yes publishes them
	@ground/package/crates

installcheck: install ## run the SQL regress tests by pg_regress
	@ground/check/regress

server: install ## start the private server and print its URL
	@ground/servers/server start

stop: ## stop the private server
	@ground/servers/server stop

corpus: ## split and check thousands of real files of every kind
	@ground/fuzz/corpus-files

fuzz: ## fuzz the splitters, for SECONDS=600 each
	@ground/fuzz/splitters $(or $(SECONDS),600)

fuzz-grammars: ## fuzz the grammars of code under AddressSanitizer, for SECONDS=1800 of CPU time each
	@ground/fuzz/grammars $(or $(SECONDS),1800)

bench: ## measure the ratios in docs/benchmarks.md
	@ground/bench/ratios

scale: ## compare stores on Citus with plain ones, on the server of PG_CONFIG, which must have Citus
	@ground/check/scale

upgrades: ## test pg_upgrade and dumps from PostgreSQL 15, 16 and 17 to newer ones; a release runs it
	@ground/check/upgrades

release-check: ## run as root what a release needs besides `make check`: upgrades, each server, packages, crates
	@ground/check/release

quality: ## measure search and fragments with questions whose answers are known
	@ground/bench/quality

docs: ## build the site of the documentation for this version in target/docs
	@ground/docs/site

pictures: ## draw the pictures of the documentation again, from real data
	@ground/docs/pictures

hook: ## let git run the fast part of `make lint` before each commit
	@ground/check/hook

lint: ## check format, clippy, language, cycles of modules, licenses, sources and container files
	@ground/check/lint

clean: ## stop the server and remove all downloads and builds
	@ground/build/clean
