import { afterEach, describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'

import { preload, preloadLinks } from '../../renderer/composables/window/preload.ts'

/** A router, and the names of the views that it fetched. */
const routerWith = () => {
  const fetched: string[] = []
  const view = (name: string) => () => {
    fetched.push(name)
    return Promise.resolve({ template: '' })
  }
  const routes = [
    { path: '/work', components: { default: view('work'), list: view('list') } },
    { path: '/:rest(.*)', component: { template: '' } },
  ]
  return { router: createRouter({ history: createMemoryHistory(), routes }), fetched }
}
const reach = (type: string, element: Element) => element.dispatchEvent(new Event(type, { bubbles: true }))
afterEach(() => document.body.replaceChildren())

describe('preload', () => {
  it('fetches the code of all views of a path', () => {
    const { router, fetched } = routerWith()
    preload(router, '/work')
    expect(fetched).toEqual(['work', 'list'])
  })

  it('fetches nothing for a view that is loaded', () => {
    const { router, fetched } = routerWith()
    preload(router, '/elsewhere')
    expect(fetched).toEqual([])
  })
})

describe('preloadLinks', () => {
  it.each(['pointerover', 'focusin'])('fetches the views of a link once at %s', (type) => {
    const { router, fetched } = routerWith()
    preloadLinks(router)
    document.body.innerHTML = '<a href="/work"><b>Work</b></a>'
    reach(type, document.querySelector('b')!)
    reach(type, document.querySelector('a')!)
    expect(fetched).toEqual(['work', 'list'])
  })

  it('fetches nothing for a link to another host', () => {
    const { router, fetched } = routerWith()
    preloadLinks(router)
    document.body.innerHTML = '<a href="https://elsewhere.test/work">Work</a>'
    reach('pointerover', document.querySelector('a')!)
    expect(fetched).toEqual([])
  })
})
