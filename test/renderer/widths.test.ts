import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { withWidths } from '../../renderer/styles/widths.ts'

const root = join(import.meta.dirname, '../../renderer')
const queries = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(vue|css|ts)$/.test(path))
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...text.matchAll(/@media ([^{]+)\{/g)].map(([, query]) => ({ path, query: query!.trim() }))
  })

describe('the breakpoints of the window', () => {
  it('are defined once', () => {
    expect(queries.length).toBeGreaterThan(40)
    expect(queries.filter(({ query }) => /\d(px|r?em)/.test(query))).toEqual([])
  })

  it('are found by their names', () => {
    for (const { query } of queries) expect(withWidths(query)).not.toContain('--')
    expect(withWidths('(--narrow) and (pointer: fine)')).toBe('(max-width: 1039px) and (pointer: fine)')
    expect(() => withWidths('(--huge)')).toThrow('No width is called --huge.')
  })
})
