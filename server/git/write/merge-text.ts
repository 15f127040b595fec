import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { git, value } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Lines that git has merged, or a conflict, with the lines of each side. The texts include their line ends. */
export type MergedSection =
  | { readonly conflict: false; readonly text: string }
  | { readonly conflict: true; readonly ours: string; readonly base: string; readonly theirs: string }

interface Texts {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

const LABELS = ['ours', 'base', 'theirs'] as const
/** The highest exit code that is a number of conflicts. */
const MAX_CONFLICTS = 127

/** Merges three versions of a text. The merged file consists of the sections in order, with one side for each conflict. */
export async function mergeText(repo: Repo, texts: Texts): Promise<MergedSection[]> {
  const folder = await mkdtemp(path.join(repo.git.tmp, 'merge-'))
  try {
    const files = LABELS.map((label) => path.join(folder, label))
    await Promise.all(LABELS.map((label, index) => writeFile(files[index]!, texts[label])))
    const size = markerSize(texts)
    const args = git`merge-file -p -q --zdiff3 --marker-size=${value(size)} -L ours -L base -L theirs ${files.map(value)}`
    const ok = Array.from({ length: MAX_CONFLICTS + 1 }, (_, code) => code)
    const { stdout } = await run(repo, 'merge.text', args, { ok })
    return withoutAddedLineEnds(sectionsOf(stdout.toString('utf8'), size), texts)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A marker size with which no line of the texts looks like a marker. */
function markerSize({ base, ours, theirs }: Texts): number {
  let longest = 6
  for (const text of [base, ours, theirs])
    for (const [run] of text.matchAll(/^(?:<+|=+|>+|\|+)/gm)) longest = Math.max(longest, run.length)
  return longest + 1
}

function sectionsOf(merged: string, size: number): MergedSection[] {
  const marks = ['<', '|', '=', '>'].map((sign) => sign.repeat(size))
  const sections: MergedSection[] = []
  let parts: string[][] = [[]]
  const flush = () => {
    const [text, base, theirs] = parts.map((lines) => lines.join(''))
    if (base !== undefined) sections.push({ conflict: true, ours: text!, base, theirs: theirs ?? '' })
    else if (text) sections.push({ conflict: false, text })
    parts = [[]]
  }
  for (const line of merged.split(/(?<=\n)/)) {
    const mark = marks.findIndex((prefix) => line.startsWith(prefix))
    if (mark === -1) parts.at(-1)!.push(line)
    else if (mark === 0 || mark === 3) flush()
    else parts.push([])
  }
  flush()
  return sections
}

/** Removes line ends that git adds before a marker when the last line of a side has none. */
function withoutAddedLineEnds(sections: MergedSection[], texts: Texts): MergedSection[] {
  const last = sections.at(-1)
  if (!last?.conflict) return sections
  const end = (label: (typeof LABELS)[number]) =>
    texts[label].endsWith('\n') ? last[label] : last[label].replace(/\r?\n$/, '')
  return [
    ...sections.slice(0, -1),
    { conflict: true, ours: end('ours'), base: end('base'), theirs: end('theirs') },
  ]
}
