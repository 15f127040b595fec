import { Buffer } from 'node:buffer'

import type { MergedSection } from '../../../git/write/merge-text.ts'
import { fail, type Failure } from '../../../lib/fail.ts'

/** A section as the window names it: conflicts have an ID that is stable for the two commits. */
export type Section =
  | { readonly conflict: false; readonly text: string }
  | {
      readonly conflict: true
      readonly id: string
      readonly ours: string
      readonly base: string
      readonly theirs: string
    }

/** What was chosen for one file: a side for each conflict, or the whole content. */
export interface FileResolution {
  readonly path: string
  readonly sections?: readonly SectionChoice[] | undefined
  readonly content?: string | undefined
}

export interface SectionChoice {
  readonly id: string
  readonly use: 'ours' | 'theirs' | 'both'
}

/** Numbers the conflicts of a file. */
export function numbered(sections: readonly MergedSection[]): Section[] {
  let count = 0
  return sections.map((section) => (section.conflict ? { ...section, id: String((count += 1)) } : section))
}

const bad = (sentence: string): Failure => fail('bad_request', sentence)

/** Returns the resolved text of a file. Throws 400 when a conflict is left, or a choice does not fit. */
export function resolvedText(sections: readonly Section[], given: FileResolution, maxBytes: number): string {
  const { path, content } = given
  if ((content === undefined) === (given.sections === undefined))
    throw bad(`Choose a version for each conflict of ${path}, or give its content.`)
  const text = content ?? joined(sections, given)
  if (Buffer.byteLength(text) > maxBytes) throw bad(`The content of ${path} is too large.`)
  if (content !== undefined && hasMarkers(sections, content)) throw bad(`${path} still has conflict markers.`)
  return text
}

function joined(sections: readonly Section[], { path, sections: choices = [] }: FileResolution): string {
  const chosen = new Map(choices.map((choice) => [choice.id, choice.use]))
  if (chosen.size !== choices.length) throw bad(`A conflict of ${path} is resolved twice.`)
  const parts = sections.map((section) => {
    if (!section.conflict) return section.text
    const use = chosen.get(section.id)
    if (use === undefined) throw bad(`Choose a version for each conflict of ${path}, or give its content.`)
    chosen.delete(section.id)
    if (use !== 'both') return section[use]
    // A side at the end of the file may have no line end.
    const gap = section.ours === '' || section.ours.endsWith('\n') ? '' : '\n'
    return section.ours + gap + section.theirs
  })
  const [unknown] = chosen.keys()
  if (unknown !== undefined) throw bad(`${path} has no conflict ${unknown}.`)
  return parts.join('')
}

const MARKER = /^(?:<{7}|\|{7}|>{7})(?: .*)?$/gm

/** Whether the content has markers that no version of the file has. */
function hasMarkers(sections: readonly Section[], content: string): boolean {
  const own = new Set(
    sections.flatMap((section) =>
      (section.conflict ? [section.ours, section.base, section.theirs] : [section.text]).flatMap(markersIn),
    ),
  )
  return markersIn(content).some((line) => !own.has(line))
}

function markersIn(text: string): string[] {
  return [...text.replaceAll('\r\n', '\n').matchAll(MARKER)].map(([line]) => line)
}
