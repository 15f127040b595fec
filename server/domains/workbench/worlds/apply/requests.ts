import { Failure } from '../../../../lib/fail.ts'
import type { Merges } from './history.ts'
import type { WorldDiscussion, WorldMergeRequest, WorldProject } from '../model/schema.ts'
import { resumeMergeRules, withoutMergeRules } from './merge-rules.ts'
import { milestonesOf } from './issues.ts'
import type { Stage } from './stage.ts'

interface Request {
  readonly iid: number
  readonly title: string
  readonly state: string
  readonly source_branch: string
  readonly sha: string | null
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
  readonly diff_refs: { base_sha: string; head_sha: string; start_sha: string } | null
}

interface Discussion {
  readonly id: string
  readonly notes: readonly { id: number; body: string; author: { username: string }; resolved?: boolean }[]
}

const AT = '/projects/:id/merge_requests/:merge_request_iid'

/** The merge requests of a project. */
export class Requests implements Merges {
  readonly #stage: Stage
  readonly #world: WorldProject
  readonly #id: number
  readonly #main: string
  readonly #isDone = new Set<string>()
  #known: Map<string, Request> | undefined
  #milestones: Map<string, number> | undefined

  constructor(stage: Stage, world: WorldProject, id: number, main: string) {
    this.#stage = stage
    this.#world = world
    this.#id = id
    this.#main = main
  }

  /**
   * Merges a request in the middle of the history; the ones before it in the list are opened first. Returns the commit
   * that the target branch has then.
   */
  async mergeAt(title: string): Promise<string | null> {
    const { merge_requests = [] } = this.#world
    const index = merge_requests.findIndex((request) => request.title === title)
    for (const request of merge_requests.slice(0, index))
      if (await this.#hasSource(request)) await this.#open(request)
    const entry = merge_requests[index]!
    await this.#whole({ ...entry, state: 'merged' }, entry)
    this.#known = undefined
    const row = (await this.#rows()).get(title)
    return row?.merge_commit_sha ?? row?.squash_commit_sha ?? row?.sha ?? null
  }

  targetOf(title: string): string | undefined {
    return this.#world.merge_requests?.find((request) => request.title === title)?.target
  }

  /** Heads of source branches that were merged, by name; merging may have removed the branch. */
  async merged(): Promise<ReadonlyMap<string, string>> {
    if (!this.#world.merge_requests) return new Map()
    const rows = [...(await this.#rows()).values()].filter(({ state }) => state === 'merged')
    return new Map(rows.flatMap(({ source_branch, sha }) => (sha === null ? [] : [[source_branch, sha]])))
  }

  async apply(): Promise<void> {
    for (const request of this.#world.merge_requests ?? [])
      if (!this.#isDone.has(request.title)) await this.#whole(request, request)
    await resumeMergeRules(this.#stage, this.#world, this.#id)
  }

  async #whole(planned: WorldMergeRequest, entry: object): Promise<void> {
    await this.#stage.step(entry, `the merge request "${planned.title}"`, async () => {
      const row = await this.#open(planned)
      this.#isDone.add(planned.title)
      await this.#review(planned, row)
      await this.#end(planned, row)
    })
  }

  async #rows(): Promise<Map<string, Request>> {
    if (this.#known) return this.#known
    const rows = await this.#stage.all<Request>('GET /projects/:id/merge_requests', {
      id: this.#id,
      scope: 'all',
      state: 'all',
    })
    this.#known = new Map(rows.map((row) => [row.title, row]))
    return this.#known
  }

  async #hasSource({ source }: WorldMergeRequest): Promise<boolean> {
    try {
      await this.#stage.call(this.#stage.as(undefined), 'GET /projects/:id/repository/branches/:branch', {
        id: this.#id,
        branch: source,
      })
      return true
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not_found') return false
      throw error
    }
  }

  async #open(entry: WorldMergeRequest): Promise<Request> {
    const stage = this.#stage
    const existing = await this.#rows()
    const match = existing.get(entry.title)
    if (match) {
      if (!this.#isDone.has(`opened ${entry.title}`)) stage.kept('merge_requests')
      this.#isDone.add(`opened ${entry.title}`)
      return match
    }
    const { title, description, author, at, source, target, squash, remove_source_branch } = entry
    const id = this.#id
    const people = (names: string[] | undefined) => names?.map((name) => stage.idOf(name))
    const milestones = (this.#milestones ??= await milestonesOf(stage, id))
    const row = await stage.call<Request>(stage.as(author, at), 'POST /projects/:id/merge_requests', {
      id,
      title,
      description,
      source_branch: source,
      target_branch: target ?? this.#main,
      squash,
      remove_source_branch,
      assignee_ids: people(entry.assignees),
      reviewer_ids: people(entry.reviewers),
      labels: entry.labels?.join(','),
      milestone_id: entry.milestone === undefined ? undefined : milestones.get(entry.milestone),
    })
    existing.set(title, row)
    this.#isDone.add(`opened ${title}`)
    stage.made('merge_requests')
    return row
  }

  async #review(entry: WorldMergeRequest, row: Request): Promise<void> {
    const stage = this.#stage
    const path = { id: this.#id, merge_request_iid: row.iid }
    if (entry.discussions) {
      const threads = await stage.all<Discussion>(`GET ${AT}/discussions`, path)
      for (const discussion of entry.discussions)
        await stage.step(discussion, `the discussion of ${discussion.author}`, () =>
          this.#discuss(discussion, row, threads, entry.at),
        )
    }
    if (entry.approvals && row.state === 'opened') {
      const { approved_by } = await stage.call<{ approved_by: { user: { username: string } }[] }>(
        stage.as(undefined),
        `GET ${AT}/approvals`,
        path,
      )
      const names = new Set(approved_by.map(({ user }) => user.username))
      for (const username of entry.approvals) {
        if (names.has(username)) stage.kept('approvals')
        else {
          await stage.step(entry.approvals, `the approval of ${username}`, () =>
            stage.call(stage.as(username, entry.merged_at ?? entry.at), `POST ${AT}/approve`, path),
          )
          stage.made('approvals')
        }
      }
    }
  }

  async #discuss(
    discussion: WorldDiscussion,
    row: Request,
    threads: Discussion[],
    after: string | undefined,
  ): Promise<void> {
    const stage = this.#stage
    const path = { id: this.#id, merge_request_iid: row.iid }
    const { author, text, file, line, old_line, resolved_by, replies = [] } = discussion
    const at = discussion.at ?? after
    const isSameNote = (note: { body: string; author: { username: string } }, who: string, words: string) =>
      note.author.username === who && note.body.trim() === words.trim()
    // If several threads begin with the same text, each is matched once.
    const index = threads.findIndex(({ notes: [first] }) => first && isSameNote(first, author, text))
    let thread = index < 0 ? undefined : threads.splice(index, 1)[0]
    if (thread) stage.kept('discussions')
    else {
      thread = await stage.call<Discussion>(stage.as(author, at), `POST ${AT}/discussions`, {
        ...path,
        body: text,
        position: file === undefined ? undefined : positionOf(await this.#current(row), file, line, old_line),
      })
      stage.made('discussions')
    }
    const threadPath = { ...path, discussion_id: thread.id }
    for (const reply of replies) {
      if (thread.notes.some((note) => isSameNote(note, reply.author, reply.text))) stage.kept('notes')
      else {
        await stage.call(
          stage.as(reply.author, reply.at ?? at),
          `POST ${AT}/discussions/:discussion_id/notes`,
          { ...threadPath, body: reply.text },
        )
        stage.made('notes')
      }
    }
    if (resolved_by !== undefined && !thread.notes[0]?.resolved)
      await stage.call(stage.as(resolved_by, at), `PUT ${AT}/discussions/:discussion_id`, {
        ...threadPath,
        resolved: true,
      })
  }

  /** A merge request with its diff, which a job creates. */
  async #current({ iid }: Request): Promise<Request> {
    await this.#stage.workDone()
    return this.#stage.call(this.#stage.as(undefined), `GET ${AT}`, { id: this.#id, merge_request_iid: iid })
  }

  async #end(entry: WorldMergeRequest, row: Request): Promise<void> {
    if (row.state !== 'opened' || (entry.state ?? 'opened') === 'opened') return
    const stage = this.#stage
    const path = { id: this.#id, merge_request_iid: row.iid }
    if (entry.state === 'closed') {
      await stage.call(stage.as(entry.closed_by, entry.closed_at ?? entry.at), `PUT ${AT}`, {
        ...path,
        state_event: 'close',
      })
    } else {
      // A job checks whether it can be merged.
      await stage.workDone()
      await withoutMergeRules(stage, this.#id, () =>
        stage.call(stage.as(entry.merged_by, entry.merged_at ?? entry.at), `PUT ${AT}/merge`, {
          ...path,
          squash: entry.squash,
          should_remove_source_branch: entry.remove_source_branch,
          merge_commit_message: entry.merge_message,
        }),
      )
      await stage.workDone()
    }
  }
}

function positionOf(
  { diff_refs }: Request,
  file: string,
  line: number | undefined,
  old_line: number | undefined,
): Record<string, unknown> {
  const lines = {
    ...(line === undefined ? {} : { new_line: line }),
    ...(old_line === undefined ? {} : { old_line }),
  }
  return { ...diff_refs, position_type: 'text', new_path: file, old_path: file, ...lines }
}
