import { PiniaColada, useQueryCache } from '@pinia/colada'
import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defineComponent, h, nextTick, ref, type Ref } from 'vue'

import { readKey } from '../../renderer/api/keys.ts'
import { useApi } from '../../renderer/api/useApi.ts'

describe('components with the same query', () => {
  let server: Server
  let seen: string[] = []
  let mounted: { unmount: () => void } | undefined

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.url!)
      const id = Number(/\d+$/.exec(request.url!)?.[0] ?? 0)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id, warning: `answer ${seen.length}` }))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } }
    happyDOM.setURL(`http://127.0.0.1:${port}/`)
  })
  afterAll(() => new Promise((done) => server.close(done)))
  beforeEach(() => {
    seen = []
  })
  afterEach(() => mounted?.unmount())

  /** Mounts a component for each setup function, in this order. Returns their results and the cache. */
  const mountCallers = <T>(...setups: (() => T)[]) => {
    const pinia = createPinia()
    const results: T[] = []
    const callers = setups.map((setup) =>
      defineComponent(() => {
        results.push(setup())
        return () => null
      }),
    )
    const Host = defineComponent(() => () => callers.map((caller) => h(caller)))
    mounted = mount(Host, {
      global: { plugins: [pinia, [PiniaColada, { queryOptions: { staleTime: 60_000 } }]] },
    })
    return { results, cache: useQueryCache(pinia) }
  }
  type Cache = ReturnType<typeof useQueryCache>
  /** Invalidates cached answers like an event of the instance. */
  const event = (cache: Cache, endpoint: string) =>
    cache.invalidateQueries({ predicate: (entry) => readKey(entry.key)?.endpoint === endpoint })

  const builtIn = (open: Ref<boolean>) => useApi('GET /-/built_in_runner', () => (open.value ? {} : null))
  const project = (id: Ref<number>) => useApi('GET /projects/:id', () => ({ id: id.value }))

  it('stay up to date when another one is closed', async () => {
    const dialog = ref(false)
    const { results, cache } = mountCallers(
      () => builtIn(ref(true)),
      () => builtIn(dialog),
    )
    const view = results[0]!
    await expect.poll(() => view.data.value?.warning).toBe('answer 1')
    dialog.value = true
    await nextTick()
    dialog.value = false
    await nextTick()
    await event(cache, 'GET /-/built_in_runner')
    expect(view.data.value?.warning).toBe('answer 2')
    expect(seen).toEqual(['/-/built_in_runner', '/-/built_in_runner'])
  })

  it('stay up to date when another one was never opened', async () => {
    const { results, cache } = mountCallers(
      () => builtIn(ref(true)),
      () => builtIn(ref(false)),
    )
    await expect.poll(() => results[0]!.data.value?.warning).toBe('answer 1')
    expect(results[1]!.data.value).toBeUndefined()
    await event(cache, 'GET /-/built_in_runner')
    expect(results[0]!.data.value?.warning).toBe('answer 2')
  })

  it('keep their own answer when another one loads the next record', async () => {
    const [stays, goes] = [ref(7), ref(7)]
    const { results, cache } = mountCallers(
      () => project(stays),
      () => project(goes),
    )
    await expect.poll(() => results[1]!.data.value?.id).toBe(7)
    goes.value = 8
    await expect.poll(() => results[1]!.data.value?.id).toBe(8)
    seen = []
    await event(cache, 'GET /projects/:id')
    expect(results.map((caller) => caller.data.value?.id)).toEqual([7, 8])
    expect(seen.toSorted()).toEqual(['/api/v4/projects/7', '/api/v4/projects/8'])
  })

  it('send no request while they have no parameters, even on reload', async () => {
    const { results } = mountCallers(() => builtIn(ref(false)))
    await results[0]!.refetch()
    await results[0]!.reload()
    expect(results[0]!.isPending.value).toBe(true)
    expect(results[0]!.error.value).toBeNull()
    expect(seen).toEqual([])
  })

  it('keep the previous answer while they have no parameters, on request', async () => {
    const id = ref<number | null>(7)
    const keeping = () =>
      useApi('GET /projects/:id', () => (id.value === null ? null : { id: id.value }), { keepPrevious: true })
    const { results } = mountCallers(keeping)
    const shown = () => results[0]!.data.value?.id
    for (const next of [7, 8]) {
      id.value = next
      await expect.poll(() => shown()).toBe(next)
      id.value = null
      await nextTick()
      expect(shown()).toBe(next)
    }
  })
})
