import type { BlobHit } from '../../../api/schema.gen.ts'
import { findText } from '../../../components/code/find-text.ts'

export type HitPart = { text: string; isFound: boolean }
export type HitLine = { number: number; parts: HitPart[]; isHit: boolean }
export type HitFile = { path: string; ref: string; pieces: HitLine[][] }

const partsOf = (line: string, wanted: string): HitPart[] => {
  const parts: HitPart[] = []
  let at = 0
  for (const { from, to } of findText([line], wanted)) {
    if (from > at) parts.push({ text: line.slice(at, from), isFound: false })
    parts.push({ text: line.slice(from, to), isFound: true })
    at = to
  }
  if (at < line.length || parts.length === 0) parts.push({ text: line.slice(at), isFound: false })
  return parts
}

const linesOf = (hit: BlobHit, wanted: string): HitLine[] =>
  hit.data
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => {
      // Capitals do not count in what was found, so they do not count in what is marked.
      const parts = partsOf(line, wanted.toLowerCase())
      return { number: hit.startline + index, parts, isHit: parts.some((part) => part.isFound) }
    })

/** The search results by file; each piece has some lines around a hit. */
export const hitFiles = (hits: readonly BlobHit[], wanted: string): HitFile[] => {
  const files = new Map<string, HitFile>()
  for (const hit of hits) {
    const file = files.get(hit.path) ?? { path: hit.path, ref: hit.ref, pieces: [] }
    file.pieces.push(linesOf(hit, wanted))
    files.set(hit.path, file)
  }
  return [...files.values()]
}
