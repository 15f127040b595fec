import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import { pressed, useShortcutStore } from '../../renderer/stores/shortcuts.ts'

const key = (name: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more })

describe('the name of a pressed key', () => {
  it('is the letter, in any case', () => {
    expect(pressed(key('J'), false)).toBe('j')
    expect(pressed(key('?', { shiftKey: true }), false)).toBe('?')
  })

  it('has mod for the modifier of the platform, and is empty with another modifier', () => {
    expect(pressed(key('k', { ctrlKey: true }), false)).toBe('mod+k')
    expect(pressed(key('k', { metaKey: true }), true)).toBe('mod+k')
    expect(pressed(key('k', { ctrlKey: true }), true)).toBe('')
    expect(pressed(key('k', { altKey: true }), false)).toBe('')
  })
})

describe('shortcuts', () => {
  let ran: string[] = []
  const shortcut = (keys: string, name = keys) => ({
    keys,
    label: name,
    group: 'Test',
    run: () => void ran.push(name),
  })

  beforeEach(() => {
    ran = []
    setActivePinia(createPinia())
  })

  it('run for their key, without the action of the browser', () => {
    const store = useShortcutStore()
    store.register([shortcut('j')])
    const event = key('j')
    store.handle(event)
    expect(ran).toEqual(['j'])
    expect(event.defaultPrevented).toBe(true)
  })

  it('run for a sequence, and not for its first key alone', () => {
    const store = useShortcutStore()
    store.register([shortcut('g p')])
    store.handle(key('g'))
    expect(ran).toEqual([])
    store.handle(key('p'))
    expect(ran).toEqual(['g p'])
  })

  it('do not run while the user types, except with mod', () => {
    const store = useShortcutStore()
    store.register([shortcut('j'), shortcut('mod+s')])
    const field = document.createElement('input')
    document.body.append(field)
    field.addEventListener('keydown', (event) => store.handle(event))
    field.dispatchEvent(key('j'))
    field.dispatchEvent(key('s', { ctrlKey: true }))
    expect(ran).toEqual(['mod+s'])
  })

  it.each(['dialog', 'menu'])('do not run while a %s is open', (role) => {
    const store = useShortcutStore()
    store.register([shortcut('j'), shortcut('Escape')])
    const cover = document.createElement('div')
    cover.setAttribute('role', role)
    cover.dataset['state'] = 'open'
    document.body.append(cover)
    const event = key('Escape')
    store.handle(event)
    store.handle(key('j'))
    expect(ran).toEqual([])
    expect(event.defaultPrevented).toBe(false)
    cover.remove()
    store.handle(key('j'))
    expect(ran).toEqual(['j'])
  })

  it('of a view have precedence over those of the frame, until the view is closed', () => {
    const store = useShortcutStore()
    store.register([shortcut('n', 'frame')])
    const leave = store.register([shortcut('n', 'view')])
    store.handle(key('n'))
    leave()
    store.handle(key('n'))
    expect(ran).toEqual(['view', 'frame'])
  })

  it('are listed in their groups, without hidden ones', () => {
    const store = useShortcutStore()
    store.register([shortcut('j'), { ...shortcut('ArrowDown'), hidden: true }])
    expect(store.listed).toEqual([{ group: 'Test', list: [expect.objectContaining({ keys: 'j' })] }])
  })
  it('are not listed while a view uses their keys for something else', () => {
    const store = useShortcutStore()
    const labels = () => store.listed.flatMap(({ list }) => list.map(({ label }) => label))
    store.register([shortcut('n', 'frame'), shortcut('c', 'sometimes')])
    const leave = store.register([
      { ...shortcut('n', 'view'), group: 'View' },
      { ...shortcut('c', 'now and then'), group: 'View', when: () => false },
    ])
    expect(labels()).toEqual(['sometimes', 'view', 'now and then'])
    leave()
    expect(labels()).toEqual(['frame', 'sometimes'])
  })
})
