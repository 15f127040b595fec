import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { API } from 'typescript7/unstable/sync'

// The language core of the installed vue-tsc, so that both write the same TypeScript of a component.
const core = createRequire(fileURLToPath(import.meta.resolve('vue-tsc')))('@vue/language-core')

/**
 * Checks the types of the `.ts` and `.vue` files of a tsconfig.json with TypeScript 7, which cannot read `.vue` files:
 * it gets the TypeScript that the language core writes of `X.vue` as a file `X.vue.ts` that exists only in memory.
 * Returns the problems by file and position: `{ file, line, column, code, message }`, with positions in the `.vue` file.
 */
export function problemsOf(configFile) {
  const { components, others, language } = readFiles(configFile)
  // The project lists the files by name, because the folders do not have those in memory.
  const project = join(dirname(configFile), 'tsconfig.vue-types.json')
  const files = [...others, ...components.keys()]
  const memory = new Map([[project, JSON.stringify({ extends: configFile, include: [], files })]])
  for (const [name, { snapshot }] of components) memory.set(name, snapshot.getText(0, snapshot.getLength()))

  // `undefined` means that the file is looked for on the disk.
  const fs = {
    readFile: (name) => memory.get(name),
    fileExists: (name) => memory.has(name) || undefined,
  }
  const api = new API({ cwd: dirname(configFile), fs })
  try {
    const { program } = api.updateSnapshot({ openProjects: [project] }).getProjects()[0]
    const inSources = (diagnostics) =>
      diagnostics.map((one) => inSource(one, components, language)).filter((one) => one !== undefined)
    // Like the compiler's own command: with faults of syntax, those of types would mislead.
    const faults = inSources([
      ...program.getConfigFileParsingDiagnostics(),
      ...program.getProgramDiagnostics(),
      ...program.getSyntacticDiagnostics(),
    ])
    if (faults.length > 0) return sorted(faults)
    return sorted(inSources([...program.getGlobalDiagnostics(), ...program.getSemanticDiagnostics()]))
  } finally {
    api.close()
  }
}

/** Reads the files of a project. `components` has the written TypeScript by the name of its file in memory. */
function readFiles(configFile) {
  const { options, vueOptions } = core.createParsedCommandLine(ts, ts.sys, configFile)
  const plugin = core.createVueLanguagePlugin(ts, options, vueOptions, (name) => name)
  const language = core.createLanguage([plugin], new Map(), () => {})
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile)
  const { fileNames } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(configFile),
    {},
    configFile,
    undefined,
    plugin.typescript.extraFileExtensions,
  )
  const components = new Map()
  const others = []
  for (const file of fileNames) {
    const languageId = plugin.getLanguageId(file)
    if (!languageId) {
      others.push(file)
      continue
    }
    const snapshot = ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8'))
    const script = language.scripts.set(file, snapshot, languageId)
    const { extension, code } = plugin.typescript.getServiceScript(script.generated.root)
    components.set(file + extension, code)
  }
  return { components, others, language }
}

/**
 * Returns a problem at its position in the source. Returns undefined for one in helper code, and for one that the language core
 * says is none: its mappings know which parts of the written TypeScript report what.
 */
function inSource({ fileName, pos, end, code, ...diagnostic }, components, language) {
  const problem = { code, message: messageOf(diagnostic) }
  if (!fileName) return { file: '', line: 0, column: 0, ...problem }
  const written = components.get(fileName)
  if (!written) return { file: fileName, ...positionIn(readFileSync(fileName, 'utf8'), pos), ...problem }
  const source = language.scripts.fromVirtualCode(written)
  const isReported = (data) => core.shouldReportDiagnostics(data, undefined, String(code))
  for (const [start] of language.maps.get(written, source).toSourceRange(pos, end, true, isReported)) {
    const { snapshot } = source
    return { file: source.id, ...positionIn(snapshot.getText(0, snapshot.getLength()), start), ...problem }
  }
  return undefined
}

/** The message, and below it the reasons, which are indented. */
function messageOf({ text, messageChain = [] }) {
  const reasons = messageChain.map((reason) => messageOf(reason).replaceAll(/^/gm, '  '))
  return [text, ...reasons].join('\n')
}

function positionIn(text, offset) {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: before.at(-1).length + 1 }
}

function sorted(problems) {
  const order = (a, b) => a.line - b.line || a.column - b.column || a.code - b.code
  return problems.toSorted((a, b) => (a.file === b.file ? order(a, b) : a.file < b.file ? -1 : 1))
}
