import { StreamLanguage, type LanguageSupport, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { languageOf } from '../code/languages.ts'

type Load = () => Promise<Extension>

const stream = (parser: Promise<StreamParser<unknown>>): Promise<LanguageSupport | Extension> =>
  parser.then((mode) => StreamLanguage.define(mode))

const clike = (name: 'c' | 'cpp' | 'java' | 'csharp' | 'kotlin' | 'scala' | 'dart' | 'objectiveC'): Load => {
  return () => stream(import('@codemirror/legacy-modes/mode/clike').then((modes) => modes[name]))
}
const script = (options: { typescript?: boolean; jsx?: boolean }): Load => {
  return () => import('@codemirror/lang-javascript').then((it) => it.javascript(options))
}

/** The syntax modes of the editor, loaded on demand. Names are those of the highlighter. */
const LOADERS: Record<string, Load> = {
  javascript: script({ jsx: true }),
  typescript: script({ typescript: true }),
  css: () => import('@codemirror/lang-css').then((it) => it.css()),
  less: () => import('@codemirror/lang-css').then((it) => it.css()),
  scss: () => import('@codemirror/lang-css').then((it) => it.css()),
  json: () => import('@codemirror/lang-json').then((it) => it.json()),
  markdown: () => import('@codemirror/lang-markdown').then((it) => it.markdown()),
  python: () => import('@codemirror/lang-python').then((it) => it.python()),
  yaml: () => import('@codemirror/lang-yaml').then((it) => it.yaml()),
  xml: () => import('@codemirror/lang-html').then((it) => it.html()),
  c: clike('c'),
  cpp: clike('cpp'),
  objectivec: clike('objectiveC'),
  java: clike('java'),
  csharp: clike('csharp'),
  kotlin: clike('kotlin'),
  scala: clike('scala'),
  dart: clike('dart'),
  bash: () => stream(import('@codemirror/legacy-modes/mode/shell').then((it) => it.shell)),
  clojure: () => stream(import('@codemirror/legacy-modes/mode/clojure').then((it) => it.clojure)),
  cmake: () => stream(import('@codemirror/legacy-modes/mode/cmake').then((it) => it.cmake)),
  diff: () => stream(import('@codemirror/legacy-modes/mode/diff').then((it) => it.diff)),
  dockerfile: () => stream(import('@codemirror/legacy-modes/mode/dockerfile').then((it) => it.dockerFile)),
  elm: () => stream(import('@codemirror/legacy-modes/mode/elm').then((it) => it.elm)),
  erlang: () => stream(import('@codemirror/legacy-modes/mode/erlang').then((it) => it.erlang)),
  go: () => stream(import('@codemirror/legacy-modes/mode/go').then((it) => it.go)),
  gradle: () => stream(import('@codemirror/legacy-modes/mode/groovy').then((it) => it.groovy)),
  groovy: () => stream(import('@codemirror/legacy-modes/mode/groovy').then((it) => it.groovy)),
  haskell: () => stream(import('@codemirror/legacy-modes/mode/haskell').then((it) => it.haskell)),
  ini: () => stream(import('@codemirror/legacy-modes/mode/toml').then((it) => it.toml)),
  julia: () => stream(import('@codemirror/legacy-modes/mode/julia').then((it) => it.julia)),
  latex: () => stream(import('@codemirror/legacy-modes/mode/stex').then((it) => it.stex)),
  lisp: () => stream(import('@codemirror/legacy-modes/mode/commonlisp').then((it) => it.commonLisp)),
  lua: () => stream(import('@codemirror/legacy-modes/mode/lua').then((it) => it.lua)),
  nginx: () => stream(import('@codemirror/legacy-modes/mode/nginx').then((it) => it.nginx)),
  ocaml: () => stream(import('@codemirror/legacy-modes/mode/mllike').then((it) => it.oCaml)),
  perl: () => stream(import('@codemirror/legacy-modes/mode/perl').then((it) => it.perl)),
  powershell: () => stream(import('@codemirror/legacy-modes/mode/powershell').then((it) => it.powerShell)),
  properties: () => stream(import('@codemirror/legacy-modes/mode/properties').then((it) => it.properties)),
  protobuf: () => stream(import('@codemirror/legacy-modes/mode/protobuf').then((it) => it.protobuf)),
  r: () => stream(import('@codemirror/legacy-modes/mode/r').then((it) => it.r)),
  ruby: () => stream(import('@codemirror/legacy-modes/mode/ruby').then((it) => it.ruby)),
  rust: () => stream(import('@codemirror/legacy-modes/mode/rust').then((it) => it.rust)),
  scheme: () => stream(import('@codemirror/legacy-modes/mode/scheme').then((it) => it.scheme)),
  sql: () => stream(import('@codemirror/legacy-modes/mode/sql').then((it) => it.standardSQL)),
  swift: () => stream(import('@codemirror/legacy-modes/mode/swift').then((it) => it.swift)),
}

/** The syntax highlighting for a file name; empty for unknown languages. */
export const editorLanguage = async (path: string): Promise<Extension> => {
  const load = LOADERS[languageOf(path) ?? '']
  return load ? load() : []
}
