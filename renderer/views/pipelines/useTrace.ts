import { onScopeDispose, ref, shallowRef, toValue, triggerRef, watch, type MaybeRefOrGetter } from 'vue'
import { ApiError, apiGrown } from '../../api/client.ts'
import { onLiveEvent } from '../../api/live.ts'
import { LogModel } from '../../components/log/log-model.ts'

/** Also reports a viewer, so that runners send their lines sooner. */
const LOOK_MS = 4000
/** Bursts of lines are fetched together. */
const SETTLE_MS = 150

/** Which log, and whether it may still grow. */
export type TraceOf = { project: number; job: number; isLive: boolean }

/**
 * The log of a job, read from where the last reading ended: at once when the instance says that it grew, and every few
 * seconds while the job runs.
 */
export const useTrace = (of: MaybeRefOrGetter<TraceOf | null>) => {
  const model = shallowRef(new LogModel())
  const error = ref<ApiError | null>(null)
  const isPending = ref(true)
  let read = 0
  let decoder = new TextDecoder()
  let asked: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isMore = false

  const forget = () => {
    asked?.abort()
    asked = null
    isMore = false
    read = 0
    decoder = new TextDecoder()
    model.value = new LogModel()
    error.value = null
    isPending.value = true
  }

  const readOn = async () => {
    const at = toValue(of)
    if (!at) return
    if (asked) {
      isMore = true
      return
    }
    const mine = new AbortController()
    asked = mine
    try {
      const params = { id: at.project, job_id: at.job }
      const { signal } = mine
      const fresh = await apiGrown('GET /projects/:id/jobs/:job_id/trace', params, { signal, from: read })
      read += fresh.length
      model.value.append(decoder.decode(fresh, { stream: true }))
      if (fresh.length > 0) triggerRef(model)
      error.value = null
    } catch (cause) {
      if (asked === mine && cause instanceof ApiError) error.value = cause
    }
    if (asked !== mine) return
    asked = null
    isPending.value = false
    if (isMore) {
      isMore = false
      void readOn()
    }
  }

  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      void readOn()
    }, SETTLE_MS)
  }

  watch(
    () => toValue(of)?.job,
    () => {
      forget()
      void readOn()
    },
    { immediate: true },
  )
  // The last lines of a runner arrive with the end of the job.
  watch(
    () => toValue(of)?.isLive,
    () => soon(),
  )
  const stopHearing = onLiveEvent((fact) => {
    if (fact.job_id !== toValue(of)?.job) return
    if (fact.name === 'job.trace_changed' && Number(fact.size) < read) forget()
    soon()
  })
  const looking = setInterval(() => toValue(of)?.isLive && void readOn(), LOOK_MS)
  onScopeDispose(() => {
    stopHearing()
    clearInterval(looking)
    clearTimeout(timer)
    asked?.abort()
  })
  return { model, error, isPending, retry: readOn }
}
