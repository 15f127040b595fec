import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { auditTranslator, type AuditTexts } from '../../renderer/locales/audit-texts.ts'
import type { ErrorTexts } from '../../renderer/locales/server-errors.ts'
import { sourcesOf } from '../support/imports.ts'
import { literalsIn } from '../support/literals.ts'
import { root } from '../support/server-process.ts'

const read = <Texts>(name: string) =>
  JSON.parse(readFileSync(join(root, 'renderer/locales', name), 'utf8')) as Texts
const german = read<AuditTexts>('audit-texts.de.json')
const say = auditTranslator(german, read<ErrorTexts>('server-errors.de.json'))

const lines = sourcesOf('server/domains/admin/audit/catalogue').flatMap(({ text }) => literalsIn(text))

/** The sentences of the catalogue. A verb at the start of a sentence is the value of a placeholder. */
const sentences = lines.filter((line) => /^([A-Z][a-z]+|7) .*[a-z]{2}[^:]*$|^[A-Z][a-z]+ 7$/.test(line))

describe('the audit log in German', () => {
  it('has every sentence of the catalogue', () => {
    expect(sentences.length).toBeGreaterThan(50)
    const texts = sentences.map((sentence) => sentence.replace(/^7 /, 'Added '))
    // The names of roles and key types are words inside of other sentences.
    const english = texts.filter(
      (sentence) => say(sentence) === sentence && !(sentence in german.words) && sentence !== 'Added key 7',
    )
    expect([...new Set(english)]).toEqual([])
  })

  it('has no sentence with a word that is missing in the catalogue', () => {
    const words = new Set(lines.flatMap((line) => line.toLowerCase().split(/[^a-z]+/)))
    const lost = Object.keys(german.sentences).filter((key) =>
      key
        .toLowerCase()
        .split(/[^a-z]+/)
        .some((word) => word.length > 2 && !words.has(word)),
    )
    // These verbs are actions of events.
    expect(lost.filter((key) => !/^(Provisioned|Deactivated|Reactivated) /.test(key))).toEqual([])
  })

  it('has well-formed sentences', () => {
    expect(say('Added ada as Developer')).toBe('ada als Entwickler hinzugefügt')
    expect(say('Changed the role of ada from Guest to Developer until 2027-01-01')).toBe(
      'Rolle von ada von Gast in Entwickler bis 2027-01-01 geändert',
    )
    expect(say('Changed visibility from private to internal')).toBe(
      'Sichtbarkeit von privat auf intern geändert',
    )
    expect(say('Changed the password. Changed name from Ada to Rosa')).toBe(
      'Passwort geändert. Name von Ada auf Rosa geändert',
    )
    expect(say('Removed webhook 3')).toBe('Webhook 3 entfernt')
    expect(say('Removed deploy key laptop')).toBe('Deploy-Schlüssel laptop entfernt')
    expect(say('Protected branch release/*')).toBe('Branch release/* geschützt')
    expect(say('Added deploy key laptop with write access')).toBe(
      'Deploy-Schlüssel laptop mit Schreibzugriff hinzugefügt',
    )
    expect(say('Backup 3: restore finished')).toBe('Sicherung 3: wiederhergestellt')
  })
})
