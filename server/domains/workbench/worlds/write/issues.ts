import type { Project } from '../../../projects/index.ts'
import type { WorldIssue } from '../model/schema.ts'
import { commentsOf } from './comments.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, list, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store-issuables.ts'

const AT_ONCE = 100

/** The labels and milestones that issues and merge requests can refer to. */
export class Planning {
  readonly #writer: WorldWriter
  readonly #path: string
  readonly #labels: ReadonlySet<string>
  readonly #milestones: ReadonlySet<string>

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

/** True if entries need their IIDs in a world: applied without them, they would get others, or be mistaken for another. */
export function needsIids(entries: readonly { iid: number; title: string }[]): boolean {
  const titles = new Set(entries.map(({ title }) => title.toLowerCase()))
  return titles.size < entries.length || entries.some(({ iid }, index) => iid !== index + 1)
}

/** Writes the issues of a project with their comments, in batches. */
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
  const hasIids = needsIids(store.issueTitles(db, project.id))
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
      if (!isStarted) output.open('issues:', '    ')
      isStarted = true
      if (row.issue_type !== 'issue')
        writer.omissions.add('types of issues', `${path}#${row.iid} is ${row.issue_type}`)
      const related = {
        assignees: assignees.get(row.id) ?? [],
        labels: labels.get(row.id),
        notes: notes.get(row.id),
      }
      const entry = issueOf(writer, { row, path, permissions, planning }, related)
      await output.entry('-', hasIids ? { iid: row.iid, ...entry } : entry, '      ')
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
  const issue = { ...row, author_id: mayOpen ? author_id : 0 }
  const comments = commentsOf(writer, related.notes ?? [], {
    reference: `${path}#${row.iid}`,
    mayWrite: (id) => permissions.mayComment(id, issue, assignees),
    mayResolve: (id) => permissions.mayManageIssues(id),
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
    ...comments,
  }
}
