import { describe, expect, it } from 'vitest'

import { table } from '../../../server/db/table.ts'
import { world } from '../../support/world.ts'

const w = await world()
const { db } = w.ctx()
const mails = table('mails')
const mail = (subject: string) => ({
  recipients: ['ada@example.test', 'ben@example.test'],
  subject,
  text: 'Hello.\n',
  headers: { 'X-Kind': 'test' },
  created_at: '2026-01-02T03:04:05.000Z',
})

describe('a column with JSON', () => {
  it('is parsed in rows, also through RETURNING and joins', () => {
    const made = mails.insert(db, mail('parsed'))
    expect(made).toMatchObject(mail('parsed'))
    const joined = db.one(
      'SELECT b.recipients AS others FROM mails a JOIN mails b ON b.id = a.id WHERE a.id = ?',
      made.id,
    )
    expect(joined).toEqual({ others: mail('').recipients })
  })

  it('is stored as compact JSON, and an expression stays text', () => {
    const { id } = mails.insert(db, mail('stored'))
    const stored = "SELECT recipients || '' AS recipients, headers || '' AS headers FROM mails WHERE id = ?"
    expect(db.one(stored, id)).toEqual({
      recipients: '["ada@example.test","ben@example.test"]',
      headers: '{"X-Kind":"test"}',
    })
  })
})

describe('the statements of a table', () => {
  it('find rows by id and by column values', () => {
    const [first, second] = [mails.insert(db, mail('found')), mails.insert(db, mail('found'))]
    expect(mails.byId(db, second.id)).toEqual(second)
    expect(mails.one(db, { subject: 'found', error: null })).toEqual(first)
    expect(mails.list(db, { subject: 'found' })).toEqual([first, second])
    expect(mails.list(db, { subject: 'found', error: 'refused' })).toEqual([])
  })

  it('change only the given columns', () => {
    const made = mails.insert(db, mail('changed'))
    expect(mails.update(db, made.id, { error: 'refused', html: undefined })).toEqual({
      ...made,
      error: 'refused',
    })
    expect(mails.update(db, made.id, {})).toMatchObject({ error: 'refused' })
  })

  it('return whether a row was deleted', () => {
    const { id } = mails.insert(db, mail('removed'))
    expect([mails.remove(db, id), mails.remove(db, id)]).toEqual([true, false])
    expect(mails.byId(db, id)).toBeUndefined()
  })
})
