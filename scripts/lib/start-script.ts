import { isBuiltin } from 'node:module'
import { Script } from 'node:vm'
import { parseAst } from 'rolldown/parseAst'
import type { Plugin } from 'vite'

/** A node of the syntax tree, as far as this file reads it. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Specifier extends Node {
  readonly local: { readonly name: string }
  readonly imported?: { readonly name: string }
  readonly exported?: { readonly name: string }
}

/** An import or export at the top of a module. */
interface Declaration extends Node {
  readonly source?: { readonly value: string } | null
  readonly specifiers?: readonly Specifier[]
}

/**
 * Turns one file of the bundle from a module into a script that `server/run-script.ts` runs, and a small module with its exports:
 * V8 can store the compiled functions of a script after they were called, but not those of a module.
 */
export function startScript({ chunk, runner }: { chunk: string; runner: string }): Plugin {
  return {
    name: 'start-script',
    generateBundle(_, bundle) {
      const start = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === chunk)
      if (start?.type !== 'chunk') throw new Error(`The bundle has no file "${chunk}".`)
      const scriptName = start.fileName.replace(/\.js$/, '.script.js')
      const { script, module } = splitModule(start.code, scriptName, runner)
      // A script that cannot be compiled fails here rather than at the first start.
      void new Script(script)
      start.code = module
      this.emitFile({ type: 'asset', fileName: scriptName, source: script })
      const map = bundle[`${start.fileName}.map`]
      if (map?.type !== 'asset') return
      // The script has one line more than the module had.
      const { mappings, ...rest } = JSON.parse(String(map.source)) as { mappings: string }
      const source = JSON.stringify({ ...rest, file: scriptName, mappings: `;${mappings}` })
      this.emitFile({ type: 'asset', fileName: `${scriptName}.map`, source })
      delete bundle[`${start.fileName}.map`]
    },
  }
}

/**
 * Returns the script, and the module that runs it. The script is a function: imports are its parameters, exports its value. Each
 * replacement has the length of what it replaces, so the source map remains true.
 */
export function splitModule(
  code: string,
  scriptName: string,
  runner: string,
): { script: string; module: string } {
  const body = parseAst(code).body as unknown as readonly Declaration[]
  const imports = body.filter(({ type }) => type === 'ImportDeclaration')
  const exported = body.filter(({ type }) => type.startsWith('Export'))
  if (exported.some(({ specifiers = [], source }) => specifiers.length === 0 || source))
    throw new Error('The bundler writes exports in another form than before.')
  const names = exported.flatMap(({ specifiers = [] }) => specifiers)
  const locals = [...new Set(names.map(({ local }) => local.name))]
  // The module reads each export once.
  const changing = assignedAmong(new Set(locals), body)
  if (changing.length > 0) throw new Error(`These exports may change later: ${changing.join(', ')}.`)
  const parameters = imports.map((_, index) => `$${index}`).join(',')
  const text = withReplacements(code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, ''), [
    ...[...imports, ...exported].map((node) => ({
      ...node,
      by: parameterReads(node, imports.indexOf(node)),
    })),
    ...moduleExpressions(body),
  ])
  const script = [
    `(function(import_meta,mport_,${parameters}){"use strict";`,
    text,
    `return{${locals.join(',')}}})`,
    `//# sourceMappingURL=${scriptName}.map`,
  ]
  const module = [
    `import{runScript}from"${runner}";`,
    ...imports.map(({ source }, index) => importOf(source!.value, `$${index}`)),
    `const{${locals.join(',')}}=runScript(import.meta.dirname+"/${scriptName}")(import.meta,(path)=>import(path),${parameters});`,
    `export{${names.map(({ local, exported: as }) => `${local.name} as ${as!.name}`).join(',')}};`,
  ]
  return { script: script.join('\n'), module: module.join('\n') }
}

/** An import of a module of Node reads all its exports, and some of them load more of Node. The module as an object does not. */
function importOf(source: string, name: string): string {
  return isBuiltin(source)
    ? `const ${name}=process.getBuiltinModule("${source}");`
    : `import*as ${name} from"${source}";`
}

/** Returns the statement that reads the names of an import from its parameter. Returns nothing for an export. */
function parameterReads({ specifiers = [], source }: Declaration, index: number): string {
  if (index < 0) return ''
  const named: string[] = []
  const declared: string[] = []
  for (const { type, local, imported } of specifiers) {
    const isDefault = type === 'ImportDefaultSpecifier' && !isBuiltin(source!.value)
    if (type !== 'ImportSpecifier') declared.push(`${local.name}=$${index}${isDefault ? '.default' : ''}`)
    else named.push(imported!.name === local.name ? local.name : `${imported!.name}:${local.name}`)
  }
  if (named.length > 0) declared.push(`{${named.join(',')}}=$${index}`)
  return declared.length > 0 ? `const ${declared.join(',')};` : ''
}

/** Finds `import(…)` and `import.meta`, and the parameters of the script that replace them. */
function moduleExpressions(body: readonly Node[]): { start: number; end: number; by: string }[] {
  const found: { start: number; end: number; by: string }[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    if (!isNode(value)) return
    const { type, start, end } = value
    if (type === 'ImportExpression') found.push({ start, end: start + 'import'.length, by: 'mport_' })
    const isMeta = type === 'MetaProperty' && (value['meta'] as { name: string }).name === 'import'
    if (isMeta) found.push({ start, end, by: 'import_meta' })
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child)
  }
  visit(body)
  return found
}

function withReplacements(
  text: string,
  replacements: readonly { start: number; end: number; by: string }[],
): string {
  let result = ''
  let position = 0
  for (const { start, end, by } of replacements.toSorted((a, b) => a.start - b.start)) {
    if (by.length > end - start) throw new Error(`"${by}" is longer than what it replaces.`)
    result += text.slice(position, start) + by.padEnd(end - start)
    position = end
  }
  return result + text.slice(position)
}

/** Returns those of the names of a module that code assigns again after their declaration. */
function assignedAmong(names: ReadonlySet<string>, body: readonly Node[]): string[] {
  const found = new Set<string>()
  const visit = (value: unknown, hidden: ReadonlySet<string>): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, hidden)
    if (!isNode(value)) return
    const target = value.type === 'UpdateExpression' ? value['argument'] : value['left']
    if (
      /^(Assignment|Update)Expression$/.test(value.type) &&
      isNode(target) &&
      target.type === 'Identifier'
    ) {
      const name = target['name'] as string
      if (names.has(name) && !hidden.has(name)) found.add(name)
    }
    const isFunction = /Function/.test(value.type)
    const inner = isFunction ? new Set([...hidden, ...declaredIn(value, names)]) : hidden
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child, inner)
  }
  visit(body, new Set())
  return [...found]
}

/** Returns those of the names that a function declares for itself, in its parameters or its body. */
function declaredIn(node: Node, names: ReadonlySet<string>): Set<string> {
  const found = new Set<string>()
  const add = (pattern: unknown): void => {
    if (Array.isArray(pattern)) for (const item of pattern) add(item)
    if (!isNode(pattern)) return
    if (pattern.type === 'Identifier' && names.has(pattern['name'] as string))
      found.add(pattern['name'] as string)
    for (const key of ['elements', 'properties', 'value', 'left', 'argument']) add(pattern[key])
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    if (!isNode(value)) return
    if (value.type === 'VariableDeclarator') add(value['id'])
    if (value.type === 'CatchClause') add(value['param'])
    if (/^(Function|Class)Declaration$/.test(value.type)) add(value['id'])
    if (/Function/.test(value.type)) return
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child)
  }
  add(node['params'])
  visit(node['body'])
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
