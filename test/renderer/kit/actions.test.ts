import { Plus } from '@lucide/vue'
import { describe, expect, it, vi } from 'vitest'

import Avatar from '../../../renderer/components/base/Avatar.vue'
import Button from '../../../renderer/components/base/Button.vue'
import CommandLine from '../../../renderer/components/base/CommandLine.vue'
import CopyButton from '../../../renderer/components/base/CopyButton.vue'
import IconButton from '../../../renderer/components/base/IconButton.vue'
import Kbd from '../../../renderer/components/base/Kbd.vue'
import NewSecret from '../../../renderer/components/base/NewSecret.vue'
import ProjectMark from '../../../renderer/components/base/ProjectMark.vue'
import RelativeTime from '../../../renderer/components/base/RelativeTime.vue'
import RunStatus from '../../../renderer/components/base/RunStatus.vue'
import Segmented from '../../../renderer/components/base/Segmented.vue'
import Tabs from '../../../renderer/components/base/Tabs.vue'
import Tag from '../../../renderer/components/base/Tag.vue'
import { useToasts } from '../../../renderer/stores/toasts.ts'
import { cleanUp, drawn, heard, mountPart, only, press } from './mount-part.ts'

cleanUp()
const text = (words: string) => ({ default: () => words })

describe('Button', () => {
  it('submits only if it is a submit button', () => {
    expect(mountPart(Button, {}, text('Save')).element).toMatchObject({ tagName: 'BUTTON', type: 'button' })
    expect(mountPart(Button, { type: 'submit' }, text('Save')).element).toMatchObject({ type: 'submit' })
  })

  it('cannot be pressed while it is busy, and announces that', () => {
    const onClick = heard()
    const { element } = mountPart(Button, { busy: true, icon: Plus, onClick }, text('Save'))
    element.click()
    expect(onClick).not.toHaveBeenCalled()
    expect(element.getAttribute('aria-busy')).toBe('true')
    expect(element.querySelectorAll('svg')).toHaveLength(1)
  })

  it('is a link if it has a target', () => {
    const { element } = mountPart(Button, { to: '/projects' }, text('Projects'))
    expect(element.tagName).toBe('A')
    expect(element.getAttribute('href')).toBe('/projects')
  })
})

describe('IconButton', () => {
  it('has an accessible name without a visible one', () => {
    mountPart(IconButton, { label: 'Add', icon: Plus, pressed: true })
    expect(only('button').getAttribute('aria-label')).toBe('Add')
    expect(only('button').getAttribute('aria-pressed')).toBe('true')
    expect(only('button svg').getAttribute('aria-hidden')).toBe('true')
  })

  it('passes clicks on, but not while it is disabled', () => {
    const onClick = heard()
    mountPart(IconButton, { label: 'Add', icon: Plus, onClick })
    only('button').click()
    expect(onClick).toHaveBeenCalledOnce()
    document.body.replaceChildren()
    mountPart(IconButton, { label: 'Add', icon: Plus, disabled: true, onClick })
    only('button').click()
    expect(onClick).toHaveBeenCalledOnce()
  })
})

describe('CopyButton', () => {
  it('copies the text and confirms it', async () => {
    const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    mountPart(CopyButton, { text: 'git clone', what: 'clone URL', word: true })
    expect(only('button').textContent).toContain('Copy')
    only('button').click()
    await drawn()
    expect(writeText).toHaveBeenCalledWith('git clone')
    expect(only('button').textContent).toContain('Copied')
    expect(only('button').getAttribute('aria-label')).toBe('Copy clone URL')
    writeText.mockRestore()
  })

  it('reports that the clipboard is not available', async () => {
    const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
    document.execCommand = () => false
    mountPart(CopyButton, { text: 'git clone', what: 'clone URL' })
    only('button').click()
    await drawn()
    expect(useToasts().list).toMatchObject([{ kind: 'bad' }])
    writeText.mockRestore()
  })
})

describe('CommandLine and NewSecret', () => {
  it('show the whole text next to its copy button', () => {
    mountPart(CommandLine, { text: 'git push', what: 'command', hint: 'once' })
    expect(only('code').textContent).toBe('git push')
    expect(only('.hint').textContent).toBe('once')
    expect(only('button').getAttribute('aria-label')).toBe('Copy command')
  })

  it('hide a secret on request', () => {
    const onClose = heard()
    mountPart(NewSecret, { title: 'New token', secret: 'glpat-1', what: 'token', user: 'mara', onClose })
    expect([...document.querySelectorAll('code')].map((code) => code.textContent)).toEqual([
      'mara',
      'glpat-1',
    ])
    expect(only('section').getAttribute('aria-live')).toBe('polite')
    only('[aria-label="Hide secret"]').click()
    expect(onClose).toHaveBeenCalledOnce()
  })
})

describe('Segmented', () => {
  const options = [
    { value: 'open', label: 'Open', count: 1204 },
    { value: 'closed', label: 'Closed' },
    { value: 'all', label: 'All' },
  ]

  it('is a group of radio buttons with one tab stop', () => {
    const { element } = mountPart(Segmented, { label: 'State', options }, {}, { modelValue: 'closed' })
    expect(element.getAttribute('role')).toBe('radiogroup')
    const buttons = [...element.querySelectorAll('button')]
    expect(buttons.map((button) => button.getAttribute('aria-checked'))).toEqual(['false', 'true', 'false'])
    expect(buttons.map((button) => button.tabIndex)).toEqual([-1, 0, -1])
    expect(buttons[0]!.textContent).toContain('1,204')
  })

  it('moves with the arrows, around its ends', async () => {
    const { element, values } = mountPart(Segmented, { label: 'State', options }, {}, { modelValue: 'open' })
    element.querySelector('button')!.focus()
    press(element, 'ArrowLeft')
    await drawn()
    expect(values.value).toEqual({ modelValue: 'all' })
    press(element, 'ArrowRight')
    await drawn()
    expect(values.value).toEqual({ modelValue: 'open' })
    expect(document.activeElement?.textContent).toContain('Open')
  })
})

describe('small components', () => {
  it('show a name as its initial, and hide it next to the full name', () => {
    const { element } = mountPart(Avatar, { name: 'Mara' })
    expect([element.textContent, element.getAttribute('aria-label')]).toEqual(['M', 'Mara'])
    expect(mountPart(Avatar, { name: 'Mara', quiet: true }).element.getAttribute('aria-hidden')).toBe('true')
    expect(mountPart(ProjectMark, { name: 'tern' }).element.getAttribute('aria-hidden')).toBe('true')
  })

  it('load no image from another host', () => {
    const { element } = mountPart(Avatar, { name: 'Mara', src: 'https://elsewhere.test/mara.png' })
    expect(element.tagName).toBe('SPAN')
  })

  it('give a status a text, or a name for assistive software', () => {
    const { element } = mountPart(RunStatus, { status: 'failed' })
    expect(element.querySelector('[role=img]')?.getAttribute('aria-label')).toBe('failed')
    const worded = mountPart(RunStatus, { status: 'success', warnings: true, worded: true }).element
    expect(worded.textContent).toContain('passed with warnings')
    expect(worded.querySelector('[role=img]')).toBeNull()
  })

  it('color a tag only if it has a meaning', () => {
    expect([...mountPart(Tag, { meaning: 'bad' }, text('failed')).element.classList]).toEqual([
      'badge',
      'bad',
    ])
    expect([...mountPart(Tag, { outline: true }, text('rust')).element.classList]).toEqual(['tag'])
  })

  it('separate the keys of a sequence', () => {
    mountPart(Kbd, { keys: 'g p', box: true })
    expect([...document.querySelectorAll('kbd')].map((key) => key.textContent)).toEqual(['G', 'P'])
  })

  it('show a relative time, with the exact time on hover', () => {
    const at = new Date(Date.now() - 3.5 * 60 * 60_000).toISOString()
    const { element } = mountPart(RelativeTime, { at })
    expect(element.textContent).toBe('3 h ago')
    expect(element.getAttribute('datetime')).toBe(at)
    expect(element.title).not.toBe('')
  })
})

describe('Tabs', () => {
  it('mark the current page', async () => {
    const tabs = [
      { to: '/a', label: 'A', count: 3 },
      { to: '/b', label: 'B', count: null },
    ]
    const { element, router } = mountPart(Tabs, { label: 'Parts', tabs })
    await router.push('/b')
    await drawn()
    expect(element.getAttribute('aria-label')).toBe('Parts')
    expect(element.querySelector('[aria-current="page"]')?.textContent?.trim()).toBe('B')
    expect(element.querySelectorAll('.count')).toHaveLength(1)
  })
})
