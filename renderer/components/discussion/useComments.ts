import { computed, type InjectionKey, inject, provide, reactive } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useAnswer } from '../../api/useAnswer.ts'
import {
  targetApi,
  targetEndpoint,
  targetList,
  targetParams,
  type Discussion,
  type Note,
  type Position,
  type DiscussionTarget,
} from './target.ts'
import { errorText } from '../../locales/server-errors.ts'
import { t } from '../../locales/t.ts'

/** All data of an issue or merge request is stale after a new comment. */
const staleOf = (kind: DiscussionTarget['kind']) => [
  `${targetEndpoint(kind, 'GET', '')}*`,
  `GET /projects/:id/${kind}`,
  `GET /${kind}`,
]

/** Every page of a list below an issue or a merge request, such as its discussions. */
export const useTargetList = <T>(target: () => DiscussionTarget, rest: string) =>
  useAnswer<T[]>(() => {
    const at = target()
    return {
      key: [targetEndpoint(at.kind, 'GET', rest), targetParams(at) as never, 'all'],
      load: (signal) => targetList<T>(at, rest, signal),
    }
  })

/** The answer to a comment with quick actions only: their results. */
type Commanded = { commands_changes: Record<string, unknown>; summary: string[] }

/** The discussions of an issue or a merge request, and functions to add comments. */
export const useComments = (target: () => DiscussionTarget) => {
  const discussions = useTargetList<Discussion>(target, '/discussions')
  const invalidates = staleOf(target().kind)
  const action = <A extends unknown[], R>(run: (...args: A) => Promise<R>, done?: string) =>
    useAction({ run, invalidates, ...(done ? { done } : {}) })

  const all = computed(() => discussions.data.value ?? [])
  return {
    target,
    /** Answers in the making by thread; a long list forgets the threads that are out of sight. */
    answers: reactive(new Map<string, string>()),
    discussions: all,
    isPending: computed(() => discussions.status.value === 'pending'),
    error: discussions.error,
    refetch: discussions.refetch,
    comment: useAction({
      report: 'form',
      invalidates,
      run: (body: string, internal?: boolean) =>
        targetApi<Note | Commanded>(target(), 'POST', '/notes', internal ? { body, internal } : { body }),
      done: (said) => ('summary' in said ? said.summary.map(errorText).join(' ') || null : null),
    }),
    start: useAction({
      report: 'form',
      invalidates,
      run: (body: string, position?: Position | null) =>
        targetApi<Discussion>(target(), 'POST', '/discussions', position ? { body, position } : { body }),
    }),
    reply: useAction({
      report: 'form',
      invalidates,
      run: (discussion_id: string, body: string) =>
        targetApi<Note>(target(), 'POST', '/discussions/:discussion_id/notes', { discussion_id, body }),
    }),
    resolve: action((discussion_id: string, resolved: boolean) =>
      targetApi<Discussion>(target(), 'PUT', '/discussions/:discussion_id', { discussion_id, resolved }),
    ),
    edit: useAction({
      report: 'form',
      invalidates,
      run: (note: Note, body: string) =>
        targetApi<Note>(target(), 'PUT', '/notes/:note_id', { note_id: note.id, body }),
    }),
    remove: action(
      (note: Note) => targetApi(target(), 'DELETE', '/notes/:note_id', { note_id: note.id }),
      t('discussion.comment_deleted'),
    ),
    applySuggestion: useAction({
      invalidates,
      run: (id: number) => api('PUT /suggestions/:id/apply', { id }),
      done: t('discussion.suggestion_applied'),
    }),
  }
}

export type Comments = ReturnType<typeof useComments>

const COMMENTS: InjectionKey<Comments> = Symbol('comments')
/** Provides the discussions to nested threads and notes. */
export const provideComments = (comments: Comments) => provide(COMMENTS, comments)
/** Injects the discussions; only inside a view that provides them. */
export const injectComments = (): Comments => {
  const comments = inject(COMMENTS)
  if (!comments) throw new Error('injectComments() needs a view that provides comments')
  return comments
}

/** Whether a thread can be resolved and whether it is. */
export const threadState = (thread: Discussion): 'plain' | 'open' | 'resolved' => {
  const asked = thread.notes.filter((note) => note.resolvable)
  if (asked.length === 0) return 'plain'
  return asked.every((note) => note.resolved) ? 'resolved' : 'open'
}
