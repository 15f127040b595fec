import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { defineComponent, h, ref } from 'vue'

import { useInStages } from '../../renderer/composables/window/useInStages.ts'

const frame = () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))

it('a list draws the first rows at once, and all rows a few frames later', async () => {
  const rows = ref(Array.from({ length: 30 }, (_, index) => index))
  const list = mount(
    defineComponent(() => {
      const shown = useInStages(() => rows.value)
      return () =>
        h(
          'ul',
          shown.value.map((row) => h('li', { key: row }, row)),
        )
    }),
  )
  const count = () => list.findAll('li').length
  expect(count()).toBe(4)
  for (let frames = 0; frames < 5; frames++) await frame()
  expect(count()).toBe(30)
  rows.value = [...rows.value, 30, 31, 32]
  for (let frames = 0; frames < 3; frames++) await frame()
  expect(count()).toBe(33)
  list.unmount()
})
