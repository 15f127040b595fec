import type { Ctx } from '../../../ctx.ts'
import type { Shape } from '../../../http/endpoint.ts'
import type { Ability } from '../../../policy/ability.ts'
import type { Project } from '../../projects/index.ts'
import type { CommandOutcome } from '../quick_actions/commands.ts'
import type { Command } from '../quick_actions/parse.ts'
import type { PositionInput, Position } from './position.ts'
import type { NewSuggestion } from './suggestions-store.ts'

/** A record that can have notes: a commit, a snippet, an issue or a merge request. */
export interface Noteable {
  readonly type: 'Commit' | 'Snippet' | 'Issue' | 'MergeRequest'
  readonly project_id: number | null
  /** Null for a commit. */
  readonly id: number | null
  /** Full SHA of a commit; null for other records. */
  readonly sha: string | null
  /** IID in the project, for issues and merge requests. */
  readonly iid: number | null
}

/** A kind of noteable, with everything that the endpoints of its notes and discussions need. */
export interface NoteableKind {
  /** Path below the project, such as `/repository/commits/:sha`. */
  readonly path: string
  /** Name in the summaries of endpoints. */
  readonly title: string
  /** Path parameters after the project. */
  readonly params: Shape
  readonly read: Ability<Project>
  readonly write: Ability<Project>
  /** Loads the record that the path names. Throws 404 when the actor may not see it. */
  load(ctx: Ctx, project: Project, params: Readonly<Record<string, unknown>>): Noteable | Promise<Noteable>
  /** Whether a single note becomes a thread with its first reply. Otherwise only threads accept replies. */
  readonly singleNotesCanBeAnswered: boolean
  /** Whether threads can be resolved. */
  readonly threadsResolve: boolean
  /** Whether notes can be internal. */
  readonly notesCanBeInternal: boolean
  /**
   * Checks and completes a position in a diff. Kinds without this function accept no positions. `commitId` selects the
   * diff of one commit, for kinds with commits. Throws 400 for a position that the diff does not have.
   */
  resolvePosition?(
    ctx: Ctx,
    project: Project,
    noteable: Noteable,
    position: PositionInput,
    commitId?: string,
  ): Promise<Position>
  /** Translates a position in an older diff to the newest diff. Returns it unchanged if the newest does not have it. */
  currentPosition?(ctx: Ctx, project: Project, noteable: Noteable, position: Position): Promise<Position>
  /** Checks the commit that a discussion is about. Kinds without this function accept no commit. Throws 404. */
  checkCommit?(ctx: Ctx, project: Project, noteable: Noteable, commitId: string): void | Promise<void>
  /** Throws when the discussion of this record is locked for the actor. */
  checkWrite?(ctx: Ctx, project: Project, noteable: Noteable): void
  /** Whether the actor may resolve threads that others started. */
  mayResolve?(ctx: Ctx, project: Project, noteable: Noteable): boolean
  /**
   * Executes the quick actions of a note after the note was written, each in its own transaction. Skips actions that do
   * not apply (see `runEach`). Kinds without this function leave quick actions in the text.
   */
  commands?(
    ctx: Ctx,
    project: Project,
    noteable: Noteable,
    commands: readonly Command[],
    params: Readonly<Record<string, unknown>>,
  ): CommandOutcome | Promise<CommandOutcome>
  /** Additional parameters of the endpoints that write a note. `commands` receives them in `params`. */
  readonly commandParams?: Shape
  /** Reads the suggestions in a text for the lines at a position. Kinds without this function have no suggestions. */
  suggest?(
    ctx: Ctx,
    project: Project,
    noteable: Noteable,
    text: string,
    position: Position,
  ): Promise<readonly NewSuggestion[]>
}
