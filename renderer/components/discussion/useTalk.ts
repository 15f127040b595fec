import { computed, type InjectionKey, inject, provide, reactive } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useAnswer } from '../../api/useAnswer.ts'
import {
  talkApi,
  talkEndpoint,
  talkList,
  talkParams,
  type Discussion,
  type Note,
  type Position,
  type DiscussionTarget,
} from './talk.ts'
import { errorText } from '../../locales/server-errors.ts'
import { t } from '../../locales/t.ts'

/** All data of an issue or merge request is stale after a new comment. */
const staleOf = (kind: DiscussionTarget['kind']) => [
  `${talkEndpoint(kind, 'GET', '')}*`,
  `GET /projects/:id/${kind}`,
  `GET /${kind}`,
]

/** Every page of a list below an issue or a merge request, such as its discussions. */
export const useTalkList = <T>(target: () => DiscussionTarget, rest: string) =>
  useAnswer<T[]>(() => {
    const at = target()
    return {
      key: [talkEndpoint(at.kind, 'GET', rest), talkParams(at) as never, 'all'],
      load: (signal) => talkList<T>(at, rest, signal),
    }
  })

/** The answer to a comment with quick actions only: their results. */
type Commanded = { commands_changes: Record<string, unknown>; summary: string[] }

/** The discussions of an issue or a merge request, and functions to add comments. */
export const useTalk = (target: () => DiscussionTarget) => {
  const discussions = useTalkList<Discussion>(target, '/discussions')
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
      tell: 'form',
      invalidates,
      run: (body: string, internal?: boolean) =>
        talkApi<Note | Commanded>(target(), 'POST', '/notes', internal ? { body, internal } : { body }),
      done: (said) => ('summary' in said ? said.summary.map(errorText).join(' ') || null : null),
    }),
    start: useAction({
      tell: 'form',
      invalidates,
      run: (body: string, position?: Position | null) =>
        talkApi<Discussion>(target(), 'POST', '/discussions', position ? { body, position } : { body }),
    }),
    reply: useAction({
      tell: 'form',
      invalidates,
      run: (discussion_id: string, body: string) =>
        talkApi<Note>(target(), 'POST', '/discussions/:discussion_id/notes', { discussion_id, body }),
    }),
    resolve: action((discussion_id: string, resolved: boolean) =>
      talkApi<Discussion>(target(), 'PUT', '/discussions/:discussion_id', { discussion_id, resolved }),
    ),
    edit: useAction({
      tell: 'form',
      invalidates,
      run: (note: Note, body: string) =>
        talkApi<Note>(target(), 'PUT', '/notes/:note_id', { note_id: note.id, body }),
    }),
    remove: action(
      (note: Note) => talkApi(target(), 'DELETE', '/notes/:note_id', { note_id: note.id }),
      t('discussion.comment_deleted'),
    ),
    applySuggestion: useAction({
      invalidates,
      run: (id: number) => api('PUT /suggestions/:id/apply', { id }),
      done: t('discussion.suggestion_applied'),
    }),
  }
}

export type Talk = ReturnType<typeof useTalk>

const TALK: InjectionKey<Talk> = Symbol('talk')
/** Provides the discussions to nested threads and notes. */
export const provideTalk = (talk: Talk) => provide(TALK, talk)
/** Injects the discussions; only inside a view that provides them. */
export const useTalkHere = (): Talk => {
  const talk = inject(TALK)
  if (!talk) throw new Error('useTalkHere() needs a view that talks')
  return talk
}

/** Whether a thread can be resolved and whether it is. */
export const threadState = (thread: Discussion): 'plain' | 'open' | 'resolved' => {
  const asked = thread.notes.filter((note) => note.resolvable)
  if (asked.length === 0) return 'plain'
  return asked.every((note) => note.resolved) ? 'resolved' : 'open'
}
