import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

import {
  crowdedFolders,
  fileCircles,
  filesWithoutRole,
  layerBreaks,
  longFiles,
  moduleState,
  sqlOutsideStores,
  tablesOfSeveralDomains,
  typeEscapes,
  type Findings,
} from './support/capabilities.ts'
import { importsOf, sourcesOf } from './support/imports.ts'
import { replacedWords, replacedWordsIn } from './support/words.ts'

// The rules about the content of files. `ratchet.json` lists today's violations, and may only shrink. After a violation is
// removed, a run with DESKFORGE_SHRINK=1 rewrites the list. The violations of a moved file move with it, so only the total
// of a rule may not grow.

const file = fileURLToPath(new URL('support/ratchet.json', import.meta.url))
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Findings>

const sources = sourcesOf('server')
const imports = sources.flatMap(importsOf)
const schema = sources.find(({ path }) => path === 'server/db/schema.gen.ts')?.text ?? ''
const tables = new Set([...schema.matchAll(/^ {2}([a-z_0-9]+): \w+Table$/gm)].map(([, name]) => name ?? ''))

const rules: Record<string, () => Findings> = {
  'SQL only in stores': () => sqlOutsideStores(sources),
  'one domain writes a table': () => tablesOfSeveralDomains(sources, tables),
  'a file of a domain has a role': () => filesWithoutRole(sources),
  'a role imports what it may': () => layerBreaks(imports),
  'no circle of files': () => fileCircles(sources, imports),
  'no module-level state': () => moduleState(sources),
  'no type escapes': () => typeEscapes(sources),
  'words of the glossary': () => replacedWordsIn(['server', 'electron', 'scripts', 'test']),
  'at most 25 files in a folder': () => crowdedFolders(sources),
  'at most 350 lines in a file': () => longFiles(sources),
}

const grown = (was: Findings, is: Findings) =>
  Object.entries(is)
    .filter(([name, count]) => count > (was[name] ?? 0))
    .map(([name, count]) => `${name}: ${was[name] ?? 0} → ${count}`)

const total = (findings: Findings) => Object.values(findings).reduce((sum, count) => sum + count, 0)

it('the ratchet reads the tables of the schema', () => {
  expect(tables).toContain('projects')
  expect(tables.size).toBeGreaterThan(100)
})

it('the ratchet reads the replaced words of the glossary', () => {
  expect(replacedWords().length).toBeGreaterThan(10)
})

it.each(Object.entries(rules))('%s: nothing new breaks it', (name, find) => {
  expect(grown(recorded[name] ?? {}, find())).toEqual([])
})

it('the ratchet lists no removed violation', () => {
  const found = Object.fromEntries(Object.entries(rules).map(([name, find]) => [name, find()]))
  const mayWrite = Object.entries(found).every(([name, is]) => total(is) <= total(recorded[name] ?? {}))
  if (process.env.DESKFORGE_SHRINK && mayWrite) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(found)
})
