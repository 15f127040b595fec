import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { domainOf, rules } from './support/house-rules.ts'
import { importsOf, sourcesOf, type Import, type Source } from './support/imports.ts'

// The import directions. `support/house-rules.ts` lists the forbidden ones; an exception is a line `from → to` with its
// reason.
const knownExceptions: Record<string, string> = {}

const sources = ['server', 'renderer', 'electron'].flatMap(sourcesOf)
const imports = sources.flatMap(importsOf)
const shown = (edge: Import) => `${edge.from} → ${edge.to}`
const unexcused = (list: string[]) => list.filter((item) => !(item in knownExceptions))

/** Returns the cycles of imports between domains at run time. Events are leaf files, so they make no cycle. */
function cycles(): string[] {
  const edges = new Map<string, Set<string>>()
  for (const edge of imports) {
    const [from, to] = [domainOf(edge.from), domainOf(edge.to)]
    if (!from || !to || from === to || edge.isType || edge.to.endsWith('/events.ts')) continue
    edges.set(from, (edges.get(from) ?? new Set()).add(to))
  }
  const found: string[] = []
  const walk = (path: string[]): void => {
    for (const next of edges.get(path.at(-1) as string) ?? []) {
      if (next === path[0]) found.push([...path, next].join(' → '))
      else if (!path.includes(next) && next > (path[0] as string)) walk([...path, next])
    }
  }
  for (const domain of edges.keys()) walk([domain])
  return found
}

describe('the import directions', () => {
  it('are read from the sources', () => {
    expect(imports.map(shown)).toContain('electron/main.ts → server/index.ts')
    expect(imports.map(shown)).toContain('electron/main.ts → electron')
  })

  it.each(rules)('hold: $name', ({ forbids, example: [from, to] }) => {
    expect(forbids({ from, to, isType: false })).toBe(true)
    expect(unexcused(imports.filter(forbids).map(shown))).toEqual([])
  })

  it('make no cycle between domains', () => {
    expect(unexcused(cycles())).toEqual([])
  })
})

/** Files with a matching text, except the allowed ones. */
function filesWith(pattern: RegExp, allowed: RegExp): string[] {
  return unexcused(
    sources.filter(({ path, text }) => pattern.test(text) && !allowed.test(path)).map(({ path }) => path),
  )
}

/** A file that only re-exports. */
function isBarrel({ path, text }: Source): boolean {
  const rest = text.replace(/^(import|export)\s[^'"]*\sfrom\s+'[^']+'$/gm, '').trim()
  return rest === '' && /^export /m.test(text) && !/^server\/(domains\/[^/]+\/)?index\.ts$/.test(path)
}

describe('the sources', () => {
  it('fetch through the outbound agent or the API client only', () => {
    expect(
      filesWith(
        /(?<![.\w$])fetch\(/,
        /^(server\/lib\/outbound\.ts|renderer\/api\/.*|renderer\/locales\/t\.ts)$/,
      ),
    ).toEqual([])
  })

  it('query the cache of the window through useAnswer only, so that callers cannot disable each other', () => {
    expect(
      filesWith(/\b(useQuery|defineQuery|useInfiniteQuery)\b/, /^renderer\/api\/useAnswer\.ts$/),
    ).toEqual([])
  })

  it('have no date fields of the browser, which ignore the language of the window; `DateField` is the field', () => {
    const native = /\btype[:=]\s*['"](date|datetime-local|month|week|time)['"]/
    expect(native.test('<input type="date" />')).toBe(true)
    expect(filesWith(native, /^server\//)).toEqual([])
  })

  it('have no default exports, and no re-exporting files but the index of a domain', () => {
    expect(filesWith(/^export default /m, /\.d\.ts$/)).toEqual([])
    expect(sources.filter(isBarrel).map(({ path }) => path)).toEqual([])
  })

  it('have no exception that is no longer needed', () => {
    const broken = imports.filter((edge) => rules.some((rule) => rule.forbids(edge))).map(shown)
    expect(
      Object.keys(knownExceptions).filter((key) => !broken.includes(key) && !cycles().includes(key)),
    ).toEqual([])
  })
})

it('an older Node can load every script, so that the script can start the Node of the project', () => {
  const scripts = globSync('scripts/**/*.mjs')
  expect(scripts.length).toBeGreaterThan(10)
  expect(scripts.filter((path) => /^import .*\.ts'/m.test(readFileSync(path, 'utf8')))).toEqual([])
})

/** Guides instead of limits: a line of the output suggests to split the file by idea. */
const guides: [RegExp, number][] = [
  [/\.gen\.ts$/, Infinity],
  [/\/routes\.ts$/, 300],
  [/\/entity\.ts$/, 80],
  [/\/use[A-Z]\w*\.ts$/, 120],
  [/./, 250],
]

it('the list of long files has the files that are longer than the guide', () => {
  const grown = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length
    const guide = guides.find(([pattern]) => pattern.test(path))?.[1] ?? Infinity
    return lines > guide ? [`${path}: ${lines} lines (guide ${guide})`] : []
  })
  if (grown.length > 0) console.info(grown.join('\n'))
  expect(sources.length).toBeGreaterThan(grown.length)
})
