import type { Commit } from '../../../git/read/commits.ts'
import { strftime } from '../../../lib/text/strftime.ts'
import { renderTemplate, TemplateError, type TemplateData } from '../../../lib/text/text-template.ts'
import { type ChangelogConfig, ChangelogError } from './config.ts'

/** One change in a changelog. */
export interface ChangelogEntry {
  readonly commit: Commit
  /** Value of its trailer. */
  readonly category: string
  readonly author?: { readonly username: string; readonly contributor: boolean; readonly credit: boolean }
}

/** The release that the changelog describes. */
export interface Release {
  readonly version: string
  readonly date: Date
  /** Full path of the project. */
  readonly path: string
  readonly entries: readonly ChangelogEntry[]
}

/** Returns the commits with the trailer that no other commit in the list reverts, newest first as given. */
export function withTrailer(
  commits: readonly Commit[],
  trailer: string,
): { commit: Commit; category: string }[] {
  const name = trailer.toLowerCase()
  const reverted = new Set(commits.flatMap((commit) => revertedBy(commit.message)))
  return commits.flatMap((commit) => {
    const found = commit.trailers.find(([key]) => key.toLowerCase() === name)
    return found && found[1] !== '' && !reverted.has(commit.id) ? [{ commit, category: found[1] }] : []
  })
}

function revertedBy(message: string): string[] {
  return Array.from(message.matchAll(/^This reverts commit ([0-9a-f]{40,64})\b/gm), (match) => match[1]!)
}

/** Returns the section of a release: its heading, its changes and an empty line. */
export function sectionOf(release: Release, config: ChangelogConfig): string {
  const date = strftime(release.date, config.date_format)
  const data = { version: release.version, date, categories: categoriesOf(release, config) }
  try {
    const body = renderTemplate(config.template, data).trim()
    return `## ${release.version} (${date})\n\n${body}\n\n`
  } catch (error) {
    if (error instanceof TemplateError) throw new ChangelogError(error.message)
    throw error
  }
}

function categoriesOf(release: Release, config: ChangelogConfig): TemplateData[] {
  const byTitle = new Map<string, TemplateData[]>()
  for (const entry of release.entries) {
    const title = config.categories.get(entry.category) ?? entry.category
    const entries = byTitle.get(title) ?? []
    entries.push(entryData(release.path, entry))
    byTitle.set(title, entries)
  }
  return Array.from(byTitle, ([title, entries]) => ({
    title,
    entries,
    count: entries.length,
    single_change: entries.length === 1,
  }))
}

function entryData(path: string, { commit, author }: ChangelogEntry): TemplateData {
  return {
    title: commit.title,
    commit: {
      reference: `${path}@${commit.id}`,
      trailers: Object.fromEntries(commit.trailers),
    },
    ...(author
      ? {
          author: {
            reference: `@${author.username}`,
            contributor: author.contributor,
            credit: author.credit,
          },
        }
      : {}),
  }
}
