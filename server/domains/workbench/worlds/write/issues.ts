import type { Project } from '../../../projects/index.ts'
import type { WorldIssue } from '../model/schema.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, list, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store-issuables.ts'

type Note = NonNullable<WorldIssue['notes']>[number]

const AT_ONCE = 100

/** The labels and milestones that issues and merge requests can refer to, and the titles that are already used. */
export class Planning {
  readonly #writer: WorldWriter
  readonly #path: string
  readonly #labels: ReadonlySet<string>
  readonly #milestones: ReadonlySet<string>
  readonly #titles = new Set<string>()

  constructor(
    writer: WorldWriter,
    path: string,
    titles: { labels: readonly string[]; milestones: readonly string[] },
  ) {
    this.#writer = writer
    this.#path = path
    this.#labels = new Set(titles.labels)
    this.#milestones = new Set(titles.milestones)
  }

  /** False if another entry has this title: a world identifies entries by their titles. */
  isNew(kind: 'issues' | 'merge requests', title: string, iid: number): boolean {
    const key = `${kind} ${title.toLowerCase()}`
    if (!this.#titles.has(key)) {
      this.#titles.add(key)
      return true
    }
    this.#writer.omissions.add(
      `${kind} with the title of another one`,
      `${this.#path}${kind === 'issues' ? '#' : '!'}${iid}`,
    )
    return false
  }

  labels(titles: readonly string[] = []): string[] | undefined {
    return list(
      titles.filter((title) => this.#check(this.#labels.has(title) && !title.includes(','), 'labels', title)),
    )
  }

  milestone(title: string | null): string | undefined {
    if (title === null) return undefined
    return this.#check(this.#milestones.has(title), 'milestones', title) ? title : undefined
  }

  /** Counts a title that does not exist as left out. Returns `exists`. */
  #check(exists: boolean, kind: string, title: string): boolean {
    if (!exists) this.#writer.omissions.add(`${kind} on issues and merge requests`, `${this.#path} ${title}`)
    return exists
  }
}

/** Writes the issues of a project with their notes, in batches. */
export async function writeIssues(
  writer: WorldWriter,
  output: YamlOutput,
  {
    project,
    path,
    permissions,
    planning,
  }: { project: Project; path: string; permissions: Permissions; planning: Planning },
): Promise<void> {
  const { db } = writer.ctx
  let isStarted = false
  for (let after = 0; !output.isFull;) {
    const rows = store.issuesAfter(db, project.id, after, AT_ONCE)
    if (rows.length === 0) return
    after = rows.at(-1)!.iid
    const ids = rows.map(({ id }) => id)
    const assignees = store.people(db, 'issue_assignees', ids)
    const labels = store.labelTitles(db, 'issue', ids)
    const notes = store.notes(db, 'Issue', ids)
    for (const row of rows) {
      if (!planning.isNew('issues', row.title, row.iid)) continue
      if (!isStarted) output.open('issues:', '    ')
      isStarted = true
      if (row.issue_type !== 'issue')
        writer.omissions.add('types of issues', `${path}#${row.iid} is ${row.issue_type}`)
      const related = {
        assignees: assignees.get(row.id) ?? [],
        labels: labels.get(row.id),
        notes: notes.get(row.id),
      }
      await output.entry('-', issueOf(writer, { row, path, permissions, planning }, related), '      ')
    }
  }
}

function issueOf(
  writer: WorldWriter,
  {
    row,
    path,
    permissions,
    planning,
  }: { row: store.IssueRow; path: string; permissions: Permissions; planning: Planning },
  related: { assignees: readonly number[]; labels: string[] | undefined; notes: store.NoteRow[] | undefined },
): Entry<WorldIssue> {
  const assignees = related.assignees.filter((id) => permissions.mayOpenIssue(id))
  const { author_id, closed_by_id, state } = row
  const isClosed = state === 'closed'
  const mayOpen = permissions.mayOpenIssue(author_id)
  if (!mayOpen) writer.omissions.add('authors of issues who can no longer open them', `${path}#${row.iid}`)
  const mayClose = isClosed && permissions.mayCloseIssue(closed_by_id, mayOpen ? author_id : null, assignees)
  const notes = (related.notes ?? []).flatMap((note): Entry<Note>[] => {
    if (permissions.mayComment(note.author_id, mayOpen ? row : { ...row, author_id: 0 }, assignees))
      return [{ author: writer.name(note.author_id), text: note.note, at: time(note.created_at) }]
    writer.omissions.add('comments of people who can no longer write them', `${path}#${row.iid}`)
    return []
  })
  return {
    title: row.title,
    description: text(row.description),
    author: mayOpen ? writer.name(author_id) : writer.writerName,
    at: time(row.created_at),
    state: isClosed ? state : undefined,
    closed_at: isClosed ? time(row.closed_at) : undefined,
    closed_by: isClosed ? (mayClose ? writer.name(closed_by_id) : writer.writerName) : undefined,
    assignees: writer.names(assignees),
    labels: planning.labels(related.labels),
    milestone: planning.milestone(row.milestone),
    weight: row.weight ?? undefined,
    due_date: text(row.due_date),
    confidential: row.confidential || undefined,
    notes: list(notes) as WorldIssue['notes'],
  }
}
