import { parse } from '@vue/compiler-sfc'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import de from '../../renderer/locales/de.json'
import en from '../../renderer/locales/en.json'
import { localeChoice, resolveLocale } from '../../renderer/locales/locale.ts'
import { t, type Message } from '../../renderer/locales/t.ts'

type Groups = Record<string, Record<string, Message>>

const flat = (groups: Groups) =>
  Object.entries(groups).flatMap(([group, messages]) =>
    Object.entries(messages).map(([key, message]) => [`${group}.${key}`, message] as const),
  )
const formsOf = (message: Message) => (typeof message === 'string' ? [message] : Object.values(message))
const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()

const root = join(import.meta.dirname, '../../renderer')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(vue|ts)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

describe('the messages of the window', () => {
  it('are the same in German, with the same values and plural forms', () => {
    const german = new Map(flat(de))
    expect([...german.keys()]).toEqual(flat(en).map(([key]) => key))
    const different = flat(en).filter(([key, message]) => {
      const other = german.get(key)!
      if (typeof message !== typeof other) return true
      const names = new Set(formsOf(message).flatMap(namesIn))
      return formsOf(other).some((form) => namesIn(form).some((name) => !names.has(name)))
    })
    expect(different).toEqual([])
  })

  it('have keys made from their English text', () => {
    const wordsOf = (text: string) =>
      text
        .toLowerCase()
        .replaceAll(/['’]/g, '')
        .match(/[a-z0-9]+/g) ?? []
    const strange = flat(en).filter(([key, message]) => {
      const words = wordsOf(typeof message === 'string' ? message : message.other)
      // A key does not begin with a digit. A number at its end distinguishes it from another key.
      const known = new Set([...words, ...words.map((word) => `n${word}`)])
      const own = key.slice(key.indexOf('.') + 1)
      const isMade = (name: string) => name.split('_').every((word) => known.has(word))
      return words.length > 0 && !isMade(own) && !isMade(own.replace(/_\d+$/, ''))
    })
    expect(strange.map(([key]) => key)).toEqual([])
  })

  it('are all used', () => {
    const used = new Set(
      files.flatMap(({ text }) =>
        [...text.matchAll(/['"`]([a-z0-9_]+\.[a-z0-9_]+)['"`]/g)].map(([, key]) => key!),
      ),
    )
    expect(flat(en).filter(([key]) => !used.has(key))).toEqual([])
  })

  it('include every text of the templates', () => {
    expect(files.flatMap(({ path, text }) => (path.endsWith('.vue') ? textsIn(path, text) : []))).toEqual([])
  })
})

/** Names and samples that are equal in every language. */
const NAMES = /^(Deskforge|SSH|HTTP|HTTPS|API|JSON|CSV|SQLite|LFS|GPG|SCIM|or|UTC)$/
const TEXT_ATTRIBUTES = new Set([
  'aria-label',
  'label',
  'title',
  'placeholder',
  'help',
  'text',
  'description',
  'alt',
])
const CODE = new Set(['code', 'pre', 'kbd', 'samp', 'style', 'svg'])

type Node = {
  type: number
  tag?: string
  content?: string
  children?: Node[]
  props?: { type: number; name: string; value?: { content: string } }[]
}

/** The English texts in a template: text nodes and visible attributes. */
const textsIn = (path: string, source: string): string[] => {
  const found: string[] = []
  const isText = (text: string) => /[A-Za-z]{2}/.test(text) && !NAMES.test(text.trim())
  const visit = (node: Node) => {
    if (CODE.has(node.tag ?? '')) return
    if (node.type === 2 && isText(node.content ?? '')) found.push(`${path}: ${node.content!.trim()}`)
    for (const { type, name, value } of node.props ?? [])
      if (
        type === 6 &&
        TEXT_ATTRIBUTES.has(name) &&
        value &&
        isText(value.content) &&
        !value.content.startsWith('http')
      )
        found.push(`${path}: ${name}="${value.content}"`)
    for (const child of node.children ?? []) visit(child)
  }
  const template = parse(source).descriptor.template?.ast
  if (template) visit(template as unknown as Node)
  return found
}

describe('t', () => {
  it('selects the plural form and formats the count in the language', () => {
    expect(t('count.files', { count: 1 })).toBe('1 file')
    expect(t('count.files', { count: 1204 })).toBe('1,204 files')
    expect(t('count.files', { count: 0 })).toBe('0 files')
  })

  it('inserts values, and nothing for missing ones', () => {
    expect(t('common.delete_name', { name: 'heron' })).toBe('Delete heron?')
    expect(t('common.delete_name', { name: null })).toBe('Delete ?')
    expect(t('common.delete_name', { name: '{name}' })).toBe('Delete {name}?')
  })
})

describe('the language of the window', () => {
  it('is the chosen one, or the first supported language of the browser', () => {
    expect(resolveLocale('de', ['en-US'])).toBe('de')
    expect(resolveLocale('system', ['fr-CH', 'de-CH', 'en'])).toBe('de')
    expect(resolveLocale('system', ['fr'])).toBe('en')
    expect(resolveLocale('system', [])).toBe('en')
  })

  it('follows the browser if the stored language is unknown', () => {
    expect(localeChoice({ locale: 'de' })).toBe('de')
    expect(localeChoice({ locale: 'xx' })).toBe('system')
    expect(localeChoice({ locale: 7 })).toBe('system')
    expect(localeChoice({ locale: 'toString' })).toBe('system')
    expect(localeChoice({})).toBe('system')
  })
})
