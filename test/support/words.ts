import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Findings } from './capabilities.ts'

// The words that the glossary has replaced, counted in names, comments and texts.

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Words in code style in the glossary's table of words on their way out. */
export function replacedWords(): string[] {
  const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  const [, section = ''] = glossary.split('## Words that are on their way out\n')
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '))
  return rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word),
  )
}

/** Allowed phrases with such a word: English idioms, and names that the contract fixes. */
const FINE =
  /\b(?:in place|take place|takes place|taking place|took place|place of)\b|\/import\/host[AB]\w*|`host[AB]\w*`|\bhost[AB]_\w+|my_reaction_emoji|service_d\w+|emoji reactions|Add reaction|\bfacts: (?=\[|fields)/g

/** Sentences of the contract, word for word. */
const CONTRACT = /^test\/contract_lines\/sections\//

/** Matches the words alone, and as a part of a camelCase name. */
function matcherOf(words: readonly string[]): RegExp {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const alone = words.flatMap((word) => [word, capital(word)]).join('|')
  const inside = words.map(capital).join('|')
  return new RegExp(`(?<![A-Za-z])(?:${alone})s?(?![a-z])|(?<=[a-z])(?:${inside})s?(?![a-z])`, 'g')
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !entry.name.endsWith('.gen.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !CONTRACT.test(path))
}

/** The number of such words in the sources of these folders, by file. */
export function replacedWordsIn(folders: readonly string[]): Findings {
  const matcher = matcherOf(replacedWords())
  const found = folders.flatMap(filesBelow).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(FINE, '')
    const count = [...text.matchAll(matcher)].length
    return count > 0 ? [[path, count] as const] : []
  })
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}
