import type { Ctx } from '../../ctx.ts'
import { isAble } from '../../policy/ability.ts'
import { REPORTER } from '../../policy/levels.ts'
import { seesAll } from '../../policy/actor.ts'
import { inNameOf, mayRead as mayReadIssuable } from '../planning/index.ts'
import { abilities, project as scope, projectById, type Project } from '../projects/index.ts'
import type { TodoSubject } from './todo.ts'

/** Something of a project that to-do items are made about. */
export interface Subject extends TodoSubject {
  readonly project: Project
  readonly title: string
  readonly description: string | null
  readonly author_id: number | null
  readonly confidential: boolean
}

interface Row {
  readonly project_id: number
  readonly title: string
  readonly author_id: number
  readonly description: string | null
  /** Null for merge requests, which are never confidential. */
  readonly confidential: boolean | null
}

const QUERIES = {
  Issue: 'SELECT project_id, title, author_id, description, confidential FROM issues WHERE id = ?',
  MergeRequest:
    'SELECT project_id, title, author_id, description, NULL AS confidential FROM merge_requests WHERE id = ?',
} as const

/** An issue or merge request to make items about; undefined when it is gone. */
export function issuableSubject(ctx: Ctx, type: 'Issue' | 'MergeRequest', id: number): Subject | undefined {
  const row = ctx.db.one<Row>(QUERIES[type], id)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project) return undefined
  return {
    target_type: type,
    target_id: id,
    commit_id: null,
    project_id: project.id,
    group_id: null,
    project,
    title: row.title,
    description: row.description,
    author_id: row.author_id,
    confidential: row.confidential ?? false,
  }
}

/** A commit of a project to make items about. */
export function commitSubject(ctx: Ctx, projectId: number, sha: string): Subject | undefined {
  const project = projectById(ctx.db, projectId)
  if (!project) return undefined
  return {
    target_type: 'Commit',
    target_id: null,
    commit_id: sha,
    project_id: project.id,
    group_id: null,
    project,
    title: '',
    description: null,
    author_id: null,
    confidential: false,
  }
}

/** Only the columns of an item that say what it is about. */
export function columnsOf(subject: TodoSubject): TodoSubject {
  const { target_type, target_id, commit_id, project_id, group_id } = subject
  return { target_type, target_id, commit_id, project_id, group_id }
}

/** Whether a user may read something, and with `internal` what is only for people of the project. */
export function mayRead(ctx: Ctx, subject: Subject, userId: number, internal = false): boolean {
  const theirs = inNameOf(ctx, userId)
  if (!theirs || !readsThing(theirs, subject)) return false
  return !internal || seesAll(theirs.actor) || scope.roleOf(theirs, subject.project) >= REPORTER
}

function readsThing(theirs: Ctx, subject: Subject): boolean {
  const { project, target_type: type, target_id: id, author_id, confidential } = subject
  if (type !== 'Issue' && type !== 'MergeRequest') return isAble(theirs, scope, abilities.read_code, project)
  const one = { kind: type, id: id!, author_id: author_id!, confidential } as const
  return mayReadIssuable(theirs, project, one)
}
