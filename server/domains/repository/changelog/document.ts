import { compare } from 'semver'

import { withoutEnd } from '../../../lib/trim.ts'
import { versionIn } from './previous-tag.ts'

/** Headings of releases: `## 1.2.3 (2024-01-01)`. */
const HEADING = /^## (.+)$/

/** A changelog with the section of a release in its place, the newest version first; a section of it is replaced. */
export function insertSection(document: string, version: string, section: string): string {
  const wanted = versionIn(version)
  if (document.trim() === '' || !wanted) return section + document
  const lines = document.replaceAll('\r\n', '\n').split('\n')
  const heads = lines.flatMap((line, index) => {
    const found = versionIn(HEADING.exec(line)?.[1] ?? '')
    return found ? [{ index, order: compare(found, wanted) }] : []
  })
  const same = heads.find((head) => head.order === 0)
  const lower = heads.find((head) => head.order < 0)
  const start = same?.index ?? lower?.index ?? lines.length
  const end = same ? (heads.find((head) => head.index > same.index)?.index ?? lines.length) : start
  const before = lines.slice(0, start).join('\n')
  const gap = before === '' ? '' : `${withoutEnd(before, '\n')}\n\n`
  return gap + section + lines.slice(end).join('\n')
}
