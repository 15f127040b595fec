import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import de from '../../../electron/locales/de.json'
import en from '../../../electron/locales/en.json'
import { localeFor, setLocale, text } from '../../../electron/texts.ts'
import { root } from '../../support/server-process.ts'

const flat = (groups: Record<string, Record<string, string>>) =>
  Object.entries(groups).flatMap(([group, messages]) =>
    Object.entries(messages).map(([name, message]) => [`${group}.${name}`, message] as const),
  )
const namesIn = (message: string) => [...new Set(message.match(/\{\w+\}/g))].sort()

describe('the texts of the shell', () => {
  afterEach(() => setLocale('en'))

  it('exist in German, with the same values', () => {
    const german = new Map(flat(de))
    expect([...german.keys()]).toEqual(flat(en).map(([key]) => key))
    const different = flat(en).filter(
      ([key, message]) => namesIn(message).join() !== namesIn(german.get(key) ?? '').join(),
    )
    expect(different).toEqual([])
  })

  it('are all used', () => {
    const sources = globSync('electron/**/*.ts', { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n')
    // The kinds of work are named by their kind.
    const isUsed = (key: string) => sources.includes(`'${key}'`) || /^work\.(job|import|push)$/.test(key)
    expect(flat(en).filter(([key]) => !isUsed(key))).toEqual([])
  })

  it('use the first supported language of the system', () => {
    expect(localeFor(['fr-FR', 'de-AT', 'en-US'])).toBe('de')
    expect([localeFor([]), localeFor(['pt-BR'])]).toEqual(['en', 'en'])
  })

  it('insert their values', () => {
    expect(text('drop.no_folder', { path: '/a{b}' })).toBe('There is no folder /a{b}.')
    setLocale('de')
    expect(text('drop.no_folder', { path: '/a' })).toBe('Es gibt keinen Ordner /a.')
  })
})
