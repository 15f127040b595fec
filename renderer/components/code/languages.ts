/** Language names as highlight.js knows them, by file ending. */
const BY_ENDING: Record<string, string> = {
  ada: 'ada',
  adb: 'ada',
  ads: 'ada',
  asm: 'x86asm',
  awk: 'awk',
  bash: 'bash',
  bat: 'dos',
  bzl: 'python',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  clj: 'clojure',
  cljs: 'clojure',
  cmake: 'cmake',
  cmd: 'dos',
  coffee: 'coffeescript',
  cpp: 'cpp',
  cr: 'crystal',
  cs: 'csharp',
  csproj: 'xml',
  css: 'css',
  cts: 'typescript',
  cxx: 'cpp',
  d: 'd',
  dart: 'dart',
  diff: 'diff',
  el: 'lisp',
  elm: 'elm',
  erb: 'erb',
  erl: 'erlang',
  ex: 'elixir',
  exs: 'elixir',
  f90: 'fortran',
  fs: 'fsharp',
  fsx: 'fsharp',
  gemspec: 'ruby',
  glsl: 'glsl',
  go: 'go',
  gradle: 'gradle',
  gql: 'graphql',
  graphql: 'graphql',
  groovy: 'groovy',
  h: 'c',
  haml: 'haml',
  hbs: 'handlebars',
  hpp: 'cpp',
  hs: 'haskell',
  htm: 'xml',
  html: 'xml',
  hx: 'haxe',
  ini: 'ini',
  ipynb: 'json',
  java: 'java',
  jl: 'julia',
  js: 'javascript',
  json: 'json',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  kts: 'kotlin',
  less: 'less',
  lisp: 'lisp',
  lua: 'lua',
  m: 'objectivec',
  markdown: 'markdown',
  md: 'markdown',
  mjs: 'javascript',
  mk: 'makefile',
  ml: 'ocaml',
  mli: 'ocaml',
  mm: 'objectivec',
  mts: 'typescript',
  nim: 'nim',
  nix: 'nix',
  pas: 'delphi',
  patch: 'diff',
  php: 'php',
  phtml: 'php-template',
  pl: 'perl',
  plist: 'xml',
  pm: 'perl',
  proto: 'protobuf',
  ps1: 'powershell',
  psm1: 'powershell',
  properties: 'properties',
  pp: 'puppet',
  py: 'python',
  pyi: 'python',
  qml: 'qml',
  r: 'r',
  rake: 'ruby',
  rb: 'ruby',
  re: 'reasonml',
  rs: 'rust',
  s: 'x86asm',
  sass: 'scss',
  scala: 'scala',
  scm: 'scheme',
  scss: 'scss',
  sh: 'bash',
  sol: 'typescript',
  sql: 'sql',
  styl: 'stylus',
  sv: 'verilog',
  svelte: 'xml',
  svg: 'xml',
  swift: 'swift',
  tcl: 'tcl',
  tex: 'latex',
  tf: 'ini',
  thrift: 'thrift',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  twig: 'twig',
  v: 'verilog',
  vala: 'vala',
  vb: 'vbnet',
  vhd: 'vhdl',
  vhdl: 'vhdl',
  vim: 'vim',
  vue: 'xml',
  wat: 'wasm',
  xaml: 'xml',
  xhtml: 'xml',
  xml: 'xml',
  xsd: 'xml',
  xsl: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'bash',
}

const BY_NAME: Record<string, string> = {
  '.bashrc': 'bash',
  '.editorconfig': 'ini',
  '.gitattributes': 'ini',
  '.gitconfig': 'ini',
  '.gitmodules': 'ini',
  '.npmrc': 'ini',
  '.profile': 'bash',
  '.zshrc': 'bash',
  'cargo.lock': 'ini',
  'cmakelists.txt': 'cmake',
  containerfile: 'dockerfile',
  dockerfile: 'dockerfile',
  gemfile: 'ruby',
  'go.mod': 'go',
  guardfile: 'ruby',
  jenkinsfile: 'groovy',
  justfile: 'makefile',
  makefile: 'makefile',
  'nginx.conf': 'nginx',
  pipfile: 'ini',
  podfile: 'ruby',
  'poetry.lock': 'ini',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
}

const TITLES: Record<string, string> = {
  bash: 'Shell',
  c: 'C',
  cmake: 'CMake',
  coffeescript: 'CoffeeScript',
  cpp: 'C++',
  csharp: 'C#',
  css: 'CSS',
  dos: 'Batch',
  fsharp: 'F#',
  glsl: 'GLSL',
  graphql: 'GraphQL',
  ini: 'INI',
  javascript: 'JavaScript',
  json: 'JSON',
  latex: 'LaTeX',
  objectivec: 'Objective-C',
  ocaml: 'OCaml',
  php: 'PHP',
  'php-template': 'PHP',
  powershell: 'PowerShell',
  protobuf: 'Protocol Buffers',
  qml: 'QML',
  scss: 'SCSS',
  sql: 'SQL',
  typescript: 'TypeScript',
  vbnet: 'Visual Basic',
  vhdl: 'VHDL',
  wasm: 'WebAssembly',
  x86asm: 'Assembly',
  xml: 'XML',
  yaml: 'YAML',
}

/** Endings whose everyday name is not that of the grammar that colours them. */
const TITLE_BY_ENDING: Record<string, string> = {
  html: 'HTML',
  htm: 'HTML',
  svg: 'SVG',
  toml: 'TOML',
  vue: 'Vue',
  svelte: 'Svelte',
  tf: 'Terraform',
  sass: 'Sass',
  sol: 'Solidity',
  jsx: 'JSX',
  tsx: 'TSX',
  ipynb: 'Notebook',
  plist: 'Property list',
  el: 'Emacs Lisp',
}

const IMAGES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase()
}

function ending(path: string): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1)
}

function own<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** The grammar for a file, judged by its name alone; null means plain text. */
export function languageOf(path: string): string | null {
  const name = baseName(path)
  if (name.startsWith('dockerfile.')) return 'dockerfile'
  return own(BY_NAME, name) ?? own(BY_ENDING, ending(path)) ?? null
}

/** The name people use for the language of a file. */
export function languageTitle(path: string): string {
  const language = languageOf(path)
  if (!language) return 'Plain text'
  return (
    own(TITLE_BY_ENDING, ending(path)) ??
    own(TITLES, language) ??
    language[0]?.toUpperCase() + language.slice(1)
  )
}

/** The media type of a file a browser can draw, or null. */
export function imageType(path: string): string | null {
  return own(IMAGES, ending(path)) ?? null
}

/** A language named on a Markdown code fence (`ts`, `shell`, `Rust`). */
export function languageOfFence(name: string): string | null {
  const key = name.trim().toLowerCase()
  return own(BY_ENDING, key) ?? (FENCES.has(key) ? key : own(FENCE_ALIASES, key)) ?? null
}

const FENCES = new Set([...Object.values(BY_ENDING), ...Object.values(BY_NAME)])
const FENCE_ALIASES: Record<string, string> = {
  'c++': 'cpp',
  'c#': 'csharp',
  console: 'bash',
  golang: 'go',
  shell: 'bash',
  'shell-session': 'bash',
  'objective-c': 'objectivec',
  'f#': 'fsharp',
  docker: 'dockerfile',
  viml: 'vim',
  mysql: 'sql',
  postgresql: 'sql',
}
