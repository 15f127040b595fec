import type { Project } from '../../../projects/index.ts'
import type { WorldIssue } from '../model/schema.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, list, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store-requests.ts'

type Note = NonNullable<WorldIssue['notes']>[number]

const AT_ONCE = 100

/** The labels, milestones and people that issues and merge requests can refer to, and used titles. */
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

  /** Whether an entry with this title can be written, because a world identifies entries by their titles. */
  isNew(kind: 'issues' | 'merge requests', title: string, iid: number): boolean {
    const key = `${kind} ${title.toLowerCase()}`
    if (!this.#titles.has(key)) {
      this.#titles.add(key)
      return true
    }
    this.#writer.leftOut.add(
      `${kind} with the title of another one`,
      `${this.#path}${kind === 'issues' ? '#' : '!'}${iid}`,
    )
    return false
  }

  labels(titles: readonly string[] = []): string[] | undefined {
    return list(
      titles.filter((title) =>
        this.#isThere(this.#labels.has(title) && !title.includes(','), 'labels', title),
      ),
    )
  }

  milestone(title: string | null): string | undefined {
    if (title === null) return undefined
    return this.#isThere(this.#milestones.has(title), 'milestones', title) ? title : undefined
  }

  #isThere(isThere: boolean, kind: string, title: string): boolean {
    if (!isThere) this.#writer.leftOut.add(`${kind} on issues and merge requests`, `${this.#path} ${title}`)
    return isThere
  }
}

/** Writes the issues of a project with their notes, a number of them at a time. */
export async function writeIssues(
  writer: WorldWriter,
  output: YamlOutput,
  {
    project,
    path,
    rights,
    planning,
  }: { project: Project; path: string; rights: Permissions; planning: Planning },
): Promise<void> {
  const { db } = writer.ctx
  let isOpen = false
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
      if (!isOpen) output.open('issues:', '    ')
      isOpen = true
      if (row.issue_type !== 'issue')
        writer.leftOut.add('types of issues', `${path}#${row.iid} is ${row.issue_type}`)
      const more = {
        assignees: assignees.get(row.id) ?? [],
        labels: labels.get(row.id),
        notes: notes.get(row.id),
      }
      await output.entry('-', issueOf(writer, { row, path, rights, planning }, more), '      ')
    }
  }
}

function issueOf(
  writer: WorldWriter,
  {
    row,
    path,
    rights,
    planning,
  }: { row: store.IssueRow; path: string; rights: Permissions; planning: Planning },
  more: { assignees: readonly number[]; labels: string[] | undefined; notes: store.NoteRow[] | undefined },
): Entry<WorldIssue> {
  const assignees = more.assignees.filter((id) => rights.mayOpenIssue(id))
  const { author_id, closed_by_id, state } = row
  const isClosed = state === 'closed'
  const may = rights.mayOpenIssue(author_id)
  if (!may) writer.leftOut.add('authors of issues who can no longer open them', `${path}#${row.iid}`)
  const closes = isClosed && rights.mayCloseIssue(closed_by_id, may ? author_id : null, assignees)
  const notes = (more.notes ?? []).flatMap((note): Entry<Note>[] => {
    if (rights.mayComment(note.author_id, may ? row : { ...row, author_id: 0 }, assignees))
      return [{ author: writer.name(note.author_id), text: note.note, at: time(note.created_at) }]
    writer.leftOut.add('comments of people who can no longer write them', `${path}#${row.iid}`)
    return []
  })
  return {
    title: row.title,
    description: text(row.description),
    author: may ? writer.name(author_id) : writer.writer,
    at: time(row.created_at),
    state: isClosed ? state : undefined,
    closed_at: isClosed ? time(row.closed_at) : undefined,
    closed_by: isClosed ? (closes ? writer.name(closed_by_id) : writer.writer) : undefined,
    assignees: writer.names(assignees),
    labels: planning.labels(more.labels),
    milestone: planning.milestone(row.milestone),
    weight: row.weight ?? undefined,
    due_date: text(row.due_date),
    confidential: row.confidential || undefined,
    notes: list(notes) as WorldIssue['notes'],
  }
}
