import { computed, inject, provide, type InjectionKey } from 'vue'
import { api, type Item } from '../../../api/client.ts'
import { useAction } from '../../../api/useAction.ts'
import { useAll } from '../../../api/useAll.ts'
import type { Comments } from '../../../components/discussion/useComments.ts'
import { useSession } from '../../../stores/session.ts'
import { STALE, type Here } from '../useMergeRequest.ts'
import type { positionOf } from './comment-lines.ts'
import { t } from '../../../locales/t.ts'

export type Draft = Item<'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes'>
export type NewPosition = ReturnType<typeof positionOf>

/** A pending review: draft comments that only their author sees until the review is submitted. */
export const useReview = (here: Here, comments: Comments) => {
  const session = useSession()
  const drafts = useAll(
    'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes',
    () => (session.user ? here.at() : null),
    { maxPages: 10 },
  )
  const list = computed<Draft[]>(() => drafts.items.value)
  const add = useAction({
    report: 'form',
    invalidates: STALE,
    run: (note: string, target: { position?: NewPosition | null; thread?: string; resolve?: boolean }) =>
      api('POST /projects/:id/merge_requests/:merge_request_iid/draft_notes', {
        ...here.at(),
        note,
        ...(target.position ? { position: target.position } : {}),
        ...(target.thread ? { in_reply_to_discussion_id: target.thread } : {}),
        ...(target.resolve === undefined ? {} : { resolve_discussion: target.resolve }),
      }),
  })
  const change = useAction({
    report: 'form',
    invalidates: STALE,
    run: (draft: Draft, note: string) =>
      api('PUT /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id', {
        ...here.at(),
        draft_note_id: draft.id,
        note,
      }),
  })
  const remove = useAction({
    invalidates: STALE,
    run: (draft: Draft) =>
      api('DELETE /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id', {
        ...here.at(),
        draft_note_id: draft.id,
      }),
    done: t('merge_requests.draft_deleted'),
  })
  const publish = useAction({
    invalidates: STALE,
    run: (draft: Draft) =>
      api('PUT /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id/publish', {
        ...here.at(),
        draft_note_id: draft.id,
      }),
  })
  const submit = useAction({
    report: 'form',
    invalidates: STALE,
    run: async (summary: string, approve: boolean) => {
      const at = here.at()
      if (list.value.length > 0)
        await api('POST /projects/:id/merge_requests/:merge_request_iid/draft_notes/bulk_publish', at)
      if (summary.trim())
        await api('POST /projects/:id/merge_requests/:merge_request_iid/notes', {
          ...at,
          body: summary.trim(),
        })
      if (approve)
        await api('POST /projects/:id/merge_requests/:merge_request_iid/approve', {
          ...at,
          ...(here.mr.value.sha ? { sha: here.mr.value.sha } : {}),
        })
    },
    done: t('merge_requests.review_submitted'),
    onDone: () => void comments.refetch(),
  })
  return { drafts: list, add, change, remove, publish, submit }
}

export type Review = ReturnType<typeof useReview>
const REVIEW: InjectionKey<Review> = Symbol('review')
/** Provides the review to the parts of the view. */
export const provideReview = (review: Review) => provide(REVIEW, review)
/** Injects the pending review; only inside the view of a merge request. */
export const injectReview = (): Review => {
  const review = inject(REVIEW)
  if (!review) throw new Error('injectReview() needs the view of a merge request')
  return review
}
