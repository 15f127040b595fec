import { defineStore } from 'pinia'
import { api, type Item } from '../api/client.ts'

/** How the newest pipeline of a commit or default branch fares. */
export type PipelineState = Item<'GET /-/pipeline_states'>

const MOST = 100

/** Combines simultaneous requests of the rows of a page into one. */
export const usePipelineStates = defineStore('pipeline-states', () => {
  let waiting: Promise<Map<string, PipelineState>> | null = null
  let keys = new Set<string>()

  const send = async () => {
    // All rows of a page are made before a promise is settled.
    await Promise.resolve()
    const wanted = [...keys]
    keys = new Set()
    waiting = null
    const found = await api('GET /-/pipeline_states', { of: wanted })
    return new Map(found.map((state) => [state.of, state]))
  }

  /** The state of a project's default branch (`12`) or of one of its commits (`12:abc…`); null without a pipeline. */
  const load = async (key: string): Promise<PipelineState | null> => {
    if (keys.size === MOST) await waiting
    keys.add(key)
    waiting ??= send()
    return (await waiting).get(key) ?? null
  }
  return { load }
})
