import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import { pressed, useShortcutStore } from '../../renderer/stores/shortcuts.ts'

const key = (name: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more })

describe('the name of what was pressed', () => {
  it('is the letter, whatever its case', () => {
    expect(pressed(key('J'), false)).toBe('j')
    expect(pressed(key('?', { shiftKey: true }), false)).toBe('?')
  })

  it('has mod for the key of the machine, and nothing for the other one', () => {
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

  it('run for their key and keep it from the browser', () => {
    const store = useShortcutStore()
    store.register([shortcut('j')])
    const event = key('j')
    store.handle(event)
    expect(ran).toEqual(['j'])
    expect(event.defaultPrevented).toBe(true)
  })

  it('run for a sequence, and its first key alone does nothing', () => {
    const store = useShortcutStore()
    store.register([shortcut('g p')])
    store.handle(key('g'))
    expect(ran).toEqual([])
    store.handle(key('p'))
    expect(ran).toEqual(['g p'])
  })

  it('do not disturb typing, apart from those with mod', () => {
    const store = useShortcutStore()
    store.register([shortcut('j'), shortcut('mod+s')])
    const field = document.createElement('input')
    document.body.append(field)
    field.addEventListener('keydown', (event) => store.handle(event))
    field.dispatchEvent(key('j'))
    field.dispatchEvent(key('s', { ctrlKey: true }))
    expect(ran).toEqual(['mod+s'])
  })

  it.each(['dialog', 'menu'])('keep still while a %s is open', (role) => {
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

  it('of a view go before those of the frame, and give way when it leaves', () => {
    const store = useShortcutStore()
    store.register([shortcut('n', 'frame')])
    const leave = store.register([shortcut('n', 'view')])
    store.handle(key('n'))
    leave()
    store.handle(key('n'))
    expect(ran).toEqual(['view', 'frame'])
  })

  it('are listed in their groups, hidden ones aside', () => {
    const store = useShortcutStore()
    store.register([shortcut('j'), { ...shortcut('ArrowDown'), hidden: true }])
    expect(store.listed).toEqual([{ group: 'Test', list: [expect.objectContaining({ keys: 'j' })] }])
  })
})
