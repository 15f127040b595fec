import type { Result } from '../../../api/client.ts'

export type ConflictFile = Result<'GET /-/projects/:id/merge_requests/:merge_request_iid/conflicts/file'>
export type Section = ConflictFile['sections'][number]
export type Conflict = Extract<Section, { conflict: true }>
export type Use = 'ours' | 'theirs' | 'both'
/** The chosen version of each conflict, by its ID. */
export type Uses = Readonly<Record<string, Use>>

export interface Names {
  source: string
  target: string
}

/** A section with the numbers of its first lines, 1-based. */
export interface Laid {
  section: Section
  ours: number
  theirs: number
  /** The number among the conflicts of the file, 1-based; 0 for lines without a conflict. */
  number: number
}

export const linesOf = (text: string): string[] => {
  if (text === '') return []
  const lines = text.split('\n')
  return text.endsWith('\n') ? lines.slice(0, -1) : lines
}

/** Lays out the sections of a file with the line numbers of both branches. */
export const laidOut = (sections: readonly Section[]): Laid[] => {
  let ours = 1
  let theirs = 1
  let number = 0
  return sections.map((section) => {
    const laid = { section, ours, theirs, number: section.conflict ? (number += 1) : 0 }
    ours += linesOf(section.conflict ? section.ours : section.text).length
    theirs += linesOf(section.conflict ? section.theirs : section.text).length
    return laid
  })
}

export const conflictsIn = (sections: readonly Section[]): Conflict[] =>
  sections.filter((section): section is Conflict => section.conflict)

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** The lines of a conflict as they were chosen. */
export const chosenText = (conflict: Conflict, use: Use): string =>
  use === 'both' ? ended(conflict.ours) + conflict.theirs : conflict[use]

const marked = (conflict: Conflict, names: Names): string =>
  `<<<<<<< ${names.source}\n${ended(conflict.ours)}=======\n${ended(conflict.theirs)}>>>>>>> ${names.target}\n`

/** The file with the chosen lines, and markers around the conflicts that are left. */
export const resultOf = (sections: readonly Section[], uses: Uses, names: Names): string =>
  sections
    .map((section) => {
      if (!section.conflict) return section.text
      const use = uses[section.id]
      return use ? chosenText(section, use) : marked(section, names)
    })
    .join('')

const MARKER = /^(?:<{7}|\|{7}|>{7})(?: .*)?\r?$/gm
const markersIn = (text: string): string[] => [...text.matchAll(MARKER)].map(([line]) => line.trimEnd())

/** The number of marker lines in a text that no version of the file has. */
export const markersLeft = (sections: readonly Section[], text: string): number => {
  const own = new Set(
    sections.flatMap((section) =>
      (section.conflict ? [section.ours, section.base, section.theirs] : [section.text]).flatMap(markersIn),
    ),
  )
  return markersIn(text).filter((line) => !own.has(line)).length
}

/** The editor has plain line ends only. */
export const plainEnds = (text: string): string => text.replaceAll('\r\n', '\n')

/** Gives a text the line ends of its file: CR LF where all lines had these. */
export const withEndsOf = (sections: readonly Section[], text: string): string => {
  const all = sections
    .map((section) => (section.conflict ? section.ours + section.theirs : section.text))
    .join('')
  const isCrlf = all.includes('\r\n') && !/(?<!\r)\n/.test(all)
  return isCrlf ? plainEnds(text).replaceAll('\n', '\r\n') : text
}
