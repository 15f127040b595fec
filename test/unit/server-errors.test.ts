import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { errorTranslator, patternOf, type ErrorTexts } from '../../renderer/locales/server-errors.ts'
import { sourcesOf } from '../support/imports.ts'
import { literalsIn } from '../support/literals.ts'
import { root } from '../support/server-process.ts'

const german = JSON.parse(
  readFileSync(join(root, 'renderer/locales/server-errors.de.json'), 'utf8'),
) as ErrorTexts
const { text, fields, summary } = errorTranslator(german)

const exact = new Set(
  sourcesOf('server').flatMap(({ text: source }) =>
    literalsIn(source).flatMap((literal) => literal.split('\n')),
  ),
)
const lines = [...exact]

/** Whether the server contains this line: alone, after a status or the name of a field, or in quotation marks. */
function isLineOfServer(english: string): boolean {
  if (exact.has(english)) return true
  const pattern = new RegExp(
    patternOf(english).source.replace(/^\^/, '(?:^|[ "])').replace(/\$$/, '(?:$|")'),
    's',
  )
  const longest = english.split(/\{\d\}/).sort((a, b) => b.length - a.length)[0]!
  return lines.some((line) => line.includes(longest) && pattern.test(line))
}

const isInServer = (english: string) =>
  english.split('\n').every((line) => /^(\{\d\})?$/.test(line) || isLineOfServer(line))

describe('error messages in German', () => {
  it.each(['sentences', 'rules', 'words'] as const)('have their English %s from the server', (group) => {
    expect(Object.keys(german[group]).filter((english) => !isInServer(english))).toEqual([])
  })

  it('insert only values of the English message', () => {
    const all = [...Object.entries(german.sentences), ...Object.entries(german.rules)]
    const numbersIn = (text: string) => [...text.matchAll(/\{(\d)\*?\}/g)].map(([, number]) => number)
    const wrong = all.filter(([english, other]) => {
      const known = numbersIn(english)
      return numbersIn(other).some((number) => !known.includes(number))
    })
    expect(wrong).toEqual([])
  })

  it('name every type of record that can be missing', () => {
    const nouns = sourcesOf('server').flatMap(({ text: source }) =>
      [...source.matchAll(/\bnotFound\('([^']+)'\)/g)].map(([, noun]) => noun!),
    )
    expect(nouns.length).toBeGreaterThan(100)
    // A printed hash is read as fields.
    const unknown = nouns.filter((noun) => !noun.includes('{:') && !(noun in german.words))
    expect([...new Set(unknown)]).toEqual([])
  })

  it('exist for errors of a CI configuration', () => {
    const messages = sourcesOf('server/domains/ci_config/entries').flatMap(({ text: source }) =>
      literalsIn(source).filter(
        (literal) => /^[a-z].*[a-z]{2} [a-z]/.test(literal) && !literal.startsWith('config 7'),
      ),
    )
    expect(messages.length).toBeGreaterThan(80)
    const english = messages.filter(
      (message) => text(message) === message && text(`jobs:unit ${message}`) === `jobs:unit ${message}`,
    )
    expect([...new Set(english)]).toEqual([])
  })

  it('are well-formed alone and after a status', () => {
    expect(text('404 Project Not Found')).toBe('Projekt nicht gefunden')
    expect(text('403 Forbidden - Job is not retryable')).toBe('Dieser Job lässt sich nicht wiederholen')
    expect(text("Protected branch 'main' already exists")).toBe('Der Branch „main“ ist bereits geschützt')
    expect(text('Something else happened')).toBe('Something else happened')
  })

  it('name the field, also one without a translation', () => {
    expect(text('name is missing, path is invalid')).toBe('Name fehlt, Pfad ist ungültig')
    expect(text('Email has already been taken')).toBe('E-Mail ist bereits vergeben')
    expect(text('order_by does not have a valid value')).toBe('„order_by“ hat keinen gültigen Wert')
    expect(text('The tide is invalid')).toBe('The tide is invalid')
  })

  it('translate quoted sentences, and keep names', () => {
    expect(text('Transfer failed: Group is already a root group.')).toBe(
      'Verschieben fehlgeschlagen: Die Gruppe ist bereits eine oberste Gruppe.',
    )
    expect(text("Validation failed: Name can't be blank, Tag is not a valid tag name")).toBe(
      'Nicht gültig: Name muss ausgefüllt sein, Tag ist kein gültiger Tag-Name',
    )
    expect(text('Tag Project already exists')).toBe('Das Tag Project existiert bereits')
  })

  it('omit the field name next to the field', () => {
    const list = {
      path: ['has already been taken', 'is too long (maximum is 255 characters)'],
      visibility_level: ['public is not allowed in a private group.'],
      base: ['Reference not found'],
      tag_list: ['Too many tags specified. Please limit the number of tags to 50'],
    }
    expect(fields(list)).toEqual({
      path: ['ist bereits vergeben', 'ist zu lang (höchstens 255 Zeichen)'],
      visibility_level: ['„öffentlich“ ist in einer Gruppe mit der Sichtbarkeit „privat“ nicht erlaubt.'],
      base: ['Branch oder Tag nicht gefunden'],
      tag_list: ['Zu viele Tags; höchstens 50 sind erlaubt'],
    })
    expect(summary(list)).toBe(
      'Pfad ist bereits vergeben, Pfad ist zu lang (höchstens 255 Zeichen), ' +
        'Sichtbarkeit „öffentlich“ ist in einer Gruppe mit der Sichtbarkeit „privat“ nicht erlaubt. ' +
        'Branch oder Tag nicht gefunden, Zu viele Tags; höchstens 50 sind erlaubt',
    )
  })

  it('name the keys of a CI configuration', () => {
    expect(
      text('jobs:test:script config should be a string or a nested array of strings up to 10 levels deep'),
    ).toBe(
      '„jobs:test:script“ muss eine Zeichenkette oder eine bis zu zehnfach verschachtelte Liste davon sein',
    )
    expect(text('jobs:slow test config contains unknown keys: scrip, imag')).toBe(
      '„jobs:slow test“ enthält unbekannte Schlüssel: scrip, imag',
    )
    expect(text('jobs:test when should be one of: on_success, always')).toBe(
      '„jobs:test when“ muss einer dieser Werte sein: on_success, always',
    )
    expect(text('jobs config should contain at least one visible job')).toBe(
      '„jobs“ braucht mindestens einen sichtbaren Job',
    )
    expect(text('unit job: chosen stage later does not exist; available stages are .pre, test, .post')).toBe(
      'Job „unit“: Die Stage „later“ gibt es nicht, nur .pre, test, .post',
    )
    expect(text('unit: circular dependency detected in `extends`')).toBe(
      '„unit“ verweist in „extends“ im Kreis',
    )
    expect(text('(<unknown>): mapping values are not allowed in this context at line 3 column 9')).toBe(
      'Hier darf kein „Schlüssel: Wert“ stehen (Zeile 3, Spalte 9)',
    )
    expect(text('Added: rule 2 matches (it has no conditions).')).toBe(
      'Enthalten: Regel 2 trifft zu (ohne Bedingungen).',
    )
    expect(text('Project `root/heron` file `ci.yml` does not exist!')).toBe(
      'Die Datei `ci.yml` im Projekt `root/heron` gibt es nicht.',
    )
  })

  it('keep a list unchanged', () => {
    const list = 'Something else happened, and more. '.repeat(500)
    expect(text(list)).toBe(list)
  })
})
