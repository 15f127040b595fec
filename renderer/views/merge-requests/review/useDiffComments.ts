import { computed, nextTick, ref, type Ref } from 'vue'
import type { DiffFile, DiffMark } from '../../../components/diff/diff-model.ts'
import { threadState, injectComments } from '../../../components/discussion/useComments.ts'
import type { Discussion } from '../../../components/discussion/target.ts'
import { useShortcuts } from '../../../composables/useShortcuts.ts'
import { useMergeRequest } from '../useMergeRequest.ts'
import { byLine } from './comment-lines.ts'
import { injectReview, type Draft } from './useReview.ts'
import { t } from '../../../locales/t.ts'

/** The positions of threads and drafts in the diff, the open threads of each file, and the shortcuts to navigate them. */
export const useDiffComments = (options: {
  files: Readonly<Ref<readonly DiffFile[]>>
  /** The line of the open comment form. */
  writing: () => string | null
  show: (path: string, id: string) => void
}) => {
  const { mayResolve } = useMergeRequest()
  const comments = injectComments()
  const review = injectReview()
  const threads = computed(() =>
    byLine(
      options.files.value,
      comments.discussions.value.filter((one) => one.notes.some((note) => !note.system)),
      (thread) => thread.notes[0]?.position,
    ),
  )
  /** Draft replies are shown below their thread. */
  const positionOfDraft = (draft: Draft) => {
    if (draft.position) return draft.position
    const thread = comments.discussions.value.find((one) => one.id === draft.discussion_id)
    return thread?.notes[0]?.position
  }
  const drafts = computed(() => byLine(options.files.value, review.drafts.value, positionOfDraft as never))
  const extras = computed(() => {
    const writing = options.writing()
    return new Set([
      ...threads.value.lines.keys(),
      ...drafts.value.lines.keys(),
      ...(writing ? [writing] : []),
    ])
  })
  const marks = computed(() => {
    const map = new Map<string, DiffMark>()
    for (const [path, list] of threads.value.files) {
      map.set(path, {
        all: list.length,
        open: list.filter((thread) => threadState(thread) === 'open').length,
      })
    }
    for (const [path, list] of drafts.value.files) {
      const mark = map.get(path) ?? { all: 0, open: 0 }
      map.set(path, { all: mark.all + list.length, open: mark.open + list.length })
    }
    return map
  })

  /** Threads in the sequence of the files. */
  const inOrder = computed(() => {
    const list: { id: string; path: string; thread: Discussion }[] = []
    const order = new Map(options.files.value.map((file, index) => [file.path, index]))
    for (const [id, found] of threads.value.lines) {
      const path = id.replace(/:\d*:\d*$/, '')
      for (const thread of found) list.push({ id, path, thread })
    }
    // In a row with two threads, the thread of the removed line comes first.
    const line = (id: string) => {
      const [, before, after] = /:(\d*):(\d*)$/.exec(id) ?? []
      return after ? Number(after) : Number(before || 0) - 0.5
    }
    return list.toSorted(
      (a, b) => (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0) || line(a.id) - line(b.id),
    )
  })
  const current = ref<string | null>(null)
  const go = (shown: { id: string; path: string; thread: Discussion } | undefined) => {
    if (!shown) return false
    const { id } = shown.thread
    // A thread takes the focus when it becomes the current one. If the focus has left it, it gets it again.
    if (current.value === id) {
      current.value = null
      void nextTick(() => (current.value = id))
    } else current.value = id
    options.show(shown.path, shown.id)
    return true
  }
  /** Navigates the open threads, or all threads if none is open. */
  const step = (by: number) => {
    const all = inOrder.value
    const isOpen = (one: (typeof all)[number]) => threadState(one.thread) === 'open'
    const wanted = all.some(isOpen) ? isOpen : () => true
    const at = all.findIndex((one) => one.thread.id === current.value)
    const from = at < 0 ? (by > 0 ? -1 : all.length) : at
    const round = all.map((_, index) => all[(from + by * (index + 1) + 2 * all.length) % all.length]!)
    go(round.find(wanted))
  }
  const resolve = () => {
    const thread = inOrder.value.find((one) => one.thread.id === current.value)?.thread
    if (!thread || !mayResolve.value || threadState(thread) === 'plain') return
    void comments.resolve.run(thread.id, threadState(thread) !== 'resolved')
  }
  const group = t('common.changes')
  useShortcuts([
    { keys: 'n', label: t('merge_requests.next_thread'), group, run: () => step(1) },
    { keys: 'p', label: t('merge_requests.previous_thread'), group, run: () => step(-1) },
    { keys: 'Enter', label: t('merge_requests.reply_to_thread'), group, run: () => undefined, native: true },
    { keys: 'r', label: t('merge_requests.resolve_thread'), group, run: resolve },
  ])
  return {
    extras,
    marks,
    current,
    threadsAt: (id: string) => threads.value.lines.get(id) ?? [],
    draftsAt: (id: string) => drafts.value.lines.get(id) ?? [],
    /** Scrolls to the thread of a note; false if it is not loaded. */
    goToNote: (noteId: number) =>
      go(inOrder.value.find((one) => one.thread.notes.some((note) => note.id === noteId))),
  }
}
