import type { Ctx } from '../../../ctx.ts'
import type { Shape } from '../../../http/endpoint.ts'
import type { Ability } from '../../../policy/ability.ts'
import type { Project } from '../../projects/index.ts'
import type { CommandOutcome } from '../quick_actions/commands.ts'
import type { Command } from '../quick_actions/parse.ts'
import type { GivenPosition, Position } from './position.ts'
import type { NewSuggestion } from './suggestions-store.ts'

/** What notes are written under, as one record: a commit, a snippet, and later issues and merge requests. */
export interface Noteable {
  readonly type: 'Commit' | 'Snippet' | 'Issue' | 'MergeRequest'
  readonly project_id: number | null
  /** Null for a commit. */
  readonly id: number | null
  /** Full id of a commit; null for everything else. */
  readonly sha: string | null
  /** Number inside the project, where there is one. */
  readonly iid: number | null
}

/** A kind of noteable: all that the endpoints of its notes and discussions need to know. */
export interface NoteableKind {
  /** Path below the project, as `/repository/commits/:sha`. */
  readonly path: string
  /** Its name in summaries. */
  readonly title: string
  /** Parameters of the path beside the project. */
  readonly params: Shape
  readonly read: Ability<Project>
  readonly write: Ability<Project>
  /** Finds the record that the path names. Throws 404 when the actor may not see it. */
  load(ctx: Ctx, project: Project, params: Readonly<Record<string, unknown>>): Noteable | Promise<Noteable>
  /** Whether a single note becomes a thread when it is answered; otherwise only threads can be answered. */
  readonly singleNotesCanBeAnswered: boolean
  /** Whether threads are resolved. */
  readonly threadsResolve: boolean
  /** Whether notes can be internal. */
  readonly notesCanBeInternal: boolean
  /**
   * Checks a place in a diff; kinds without it take none. `commitId` is the commit whose diff is meant, where the kind
   * has commits. Throws 400 for a place that is not there.
   */
  place?(
    ctx: Ctx,
    project: Project,
    noteable: Noteable,
    given: GivenPosition,
    commitId?: string,
  ): Promise<Position>
  /** Where a place in a former diff is in the newest one; the same where it is nowhere in that. */
  placeNow?(ctx: Ctx, project: Project, noteable: Noteable, position: Position): Promise<Position>
  /** Checks a commit that a discussion is to be about; kinds without it take none. Throws 404. */
  checkCommit?(ctx: Ctx, project: Project, noteable: Noteable, commitId: string): void | Promise<void>
  /** Throws where the actor may not write under this very record although they may in general: a locked discussion. */
  checkWrite?(ctx: Ctx, project: Project, noteable: Noteable): void
  /** Whether the actor may resolve threads that others began. */
  mayResolve?(ctx: Ctx, project: Project, noteable: Noteable): boolean
  /**
   * Does what commands in a note ask for, in transactions of its own, after the note was written; kinds without it leave
   * commands in the text. A command that does not apply is passed over (`runEach` of quick_actions gathers the rest).
   */
  commands?(
    ctx: Ctx,
    project: Project,
    noteable: Noteable,
    commands: readonly Command[],
    given: Readonly<Record<string, unknown>>,
  ): CommandOutcome | Promise<CommandOutcome>
  /** Further parameters of writing a note, which `commands` receives as `given`. */
  readonly commandParams?: Shape
  /** Changes of the lines at a place that a text offers; kinds without it offer none. */
  suggest?(
    ctx: Ctx,
    project: Project,
    noteable: Noteable,
    text: string,
    position: Position,
  ): Promise<readonly NewSuggestion[]>
}
