import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'

/**
 * A key or a sequence of keys. `mod` is ⌘ on macOS and Ctrl elsewhere: `mod+k`, `g p`, `?`, `Enter`, `shift+ArrowDown`.
 * The latest registered shortcut for the same keys wins, so a view may override a shortcut of the frame.
 */
export type Shortcut = {
  keys: string
  label: string
  group: string
  run: (event: KeyboardEvent) => void
  /** Not listed in the sheet of all keys. */
  hidden?: boolean
  /** Only listed: the browser does it by itself. */
  native?: boolean
  /** Whether the shortcut works at this moment; always without it. */
  when?: () => boolean
}

const SEQUENCE_MS = 1200

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)) &&
  !(target instanceof HTMLInputElement && ['checkbox', 'radio', 'button'].includes(target.type))

/** An open dialog or menu receives all keys; the view behind it must not react. */
const isCovered = () =>
  document.querySelector(':is([role="dialog"], [role="menu"])[data-state="open"]') !== null

const isMac = navigator.platform.startsWith('Mac')

/** The name of the pressed key, in the notation of `Shortcut.keys`. */
export const pressed = (event: KeyboardEvent, mac = isMac): string => {
  const mod = mac ? event.metaKey : event.ctrlKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (mod) return `mod+${event.shiftKey ? 'shift+' : ''}${key}`
  if (event.altKey || event.ctrlKey || event.metaKey) return ''
  // Shift is part of the character of other keys.
  return event.shiftKey && key.startsWith('Arrow') ? `shift+${key}` : key
}

/** Every shortcut that works now, and the one listener that runs them. */
export const useShortcutStore = defineStore('shortcuts', () => {
  const all = shallowRef<Shortcut[]>([])
  let begun = ''
  let begunAt = 0

  const register = (list: readonly Shortcut[]) => {
    all.value = [...all.value, ...list]
    return () => {
      all.value = all.value.filter((one) => !list.includes(one))
    }
  }

  const find = (keys: string) =>
    all.value.findLast((one) => one.keys === keys && !one.native && (one.when?.() ?? true))

  const handle = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isCovered()) return
    const name = pressed(event)
    if (!name || (isTyping(event.target) && !name.startsWith('mod+'))) return
    const sequence = begun && event.timeStamp - begunAt < SEQUENCE_MS ? `${begun} ${name}` : name
    begun = ''
    const shortcut = find(sequence) ?? find(name)
    if (shortcut) {
      event.preventDefault()
      shortcut.run(event)
    } else if (all.value.some((one) => one.keys.startsWith(`${name} `))) {
      begun = name
      begunAt = event.timeStamp
    }
  }

  /** Runs a command by its keys, as the application's menu does. */
  const run = (keys: string) => find(keys)?.run(new KeyboardEvent('keydown'))

  /** A view uses the same keys for something else at all times. */
  const isOverridden = (one: Shortcut, index: number) =>
    all.value.some(
      (other, at) => at > index && other.keys === one.keys && !other.when && !other.native && !other.hidden,
    )

  const listed = computed(() => {
    const groups = new Map<string, Shortcut[]>()
    for (const [index, one] of all.value.entries()) {
      if (one.hidden || isOverridden(one, index)) continue
      const list = groups.get(one.group) ?? []
      if (!list.some((other) => other.keys === one.keys)) list.push(one)
      groups.set(one.group, list)
    }
    return [...groups].map(([group, list]) => ({ group, list }))
  })

  return { register, handle, run, listed }
})
