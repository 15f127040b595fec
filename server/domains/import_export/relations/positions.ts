import { createHash } from 'node:crypto'

import { UnusableRecord, type Fields, type Json } from './relation.ts'

const SHA = /^[0-9a-f]{40}([0-9a-f]{24})?$/
const MAX_PATH = 4096
const MAX_LINE = 10_000_000

/** The position of a note in a diff, as columns keep it. */
export interface NotePosition {
  readonly position: string | null
  readonly path: string | null
  readonly line: number | null
  readonly line_type: 'new' | 'old' | null
}

/** A position that a column keeps as JSON; null if there is none. */
export function positionRecord(stored: string | null): Fields | null {
  return stored === null ? null : (JSON.parse(stored) as Fields)
}

/** The name of the line of a position, as readers of archives expect it: digest of the path, old line, new line. */
export function lineCodeOf(position: Fields | null): string | null {
  if (position === null || position['position_type'] !== 'text') return null
  const path = String(position['new_path'] ?? position['old_path'] ?? '')
  const digest = createHash('sha1').update(path).digest('hex')
  return `${digest}_${Number(position['old_line'] ?? 0)}_${Number(position['new_line'] ?? 0)}`
}

/** A position of a record, as columns keep it; null if there is none. Throws UnusableRecord for an invalid one. */
export function positionOf(record: Fields, name: string): Fields | null {
  const given = parsed(record[name])
  if (given === null) return null
  const type = given['position_type'] === 'image' ? 'image' : 'text'
  const old_path = pathOf(given['old_path']) ?? pathOf(given['new_path'])
  const new_path = pathOf(given['new_path']) ?? old_path
  if (old_path === null || new_path === null) throw new UnusableRecord(`${name} is invalid`)
  const at = {
    base_sha: commitOf(given, 'base_sha', name),
    start_sha: commitOf(given, 'start_sha', name),
    head_sha: commitOf(given, 'head_sha', name),
    old_path,
    new_path,
    position_type: type,
  }
  if (type === 'image') {
    const [width, height, x, y] = ['width', 'height', 'x', 'y'].map((one) => numberOf(given[one]))
    return { ...at, width: width!, height: height!, x: x!, y: y! }
  }
  const old_line = lineOf(given['old_line'])
  const new_line = lineOf(given['new_line'])
  if (old_line === null && new_line === null) throw new UnusableRecord(`${name} is invalid`)
  return { ...at, old_line, new_line, line_range: rangeOf(given['line_range'] ?? null) }
}

/** The columns of a note with a position; they hold its older form, too. */
export function columnsOfPosition(at: Fields | null): NotePosition {
  if (at === null) return { position: null, path: null, line: null, line_type: null }
  const position = JSON.stringify(at)
  if (at['position_type'] === 'image')
    return { position, path: String(at['new_path']), line: null, line_type: null }
  const isNew = at['new_line'] !== null
  return {
    position,
    path: String(isNew ? at['new_path'] : at['old_path']),
    line: Number(isNew ? at['new_line'] : at['old_line']),
    line_type: isNew ? 'new' : 'old',
  }
}

/** Some releases write a position as text. */
function parsed(value: Json | undefined): Fields | null {
  if (typeof value === 'string' && value !== '') {
    try {
      return parsed(JSON.parse(value) as Json)
    } catch {
      throw new UnusableRecord('position is invalid')
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

function pathOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_PATH && !value.includes('\0')
    ? value.toWellFormed()
    : null
}

function commitOf(given: Fields, side: string, name: string): string {
  const sha = given[side]
  if (typeof sha !== 'string' || !SHA.test(sha)) throw new UnusableRecord(`${name} is invalid`)
  return sha
}

function lineOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_LINE ? value : null
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_LINE
    ? value
    : null
}

function rangeOf(value: Json): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { start, end } = value as Fields
  const first = endOf(start)
  const last = endOf(end)
  return first && last ? { start: first, end: last } : null
}

function endOf(value: Json | undefined): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const end = value as Fields
  const code = end['line_code']
  return {
    line_code: typeof code === 'string' && code.length <= 255 ? code : null,
    type: end['type'] === 'new' || end['type'] === 'old' ? end['type'] : null,
    old_line: lineOf(end['old_line']),
    new_line: lineOf(end['new_line']),
  }
}
