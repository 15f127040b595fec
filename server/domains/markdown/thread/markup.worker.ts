import { convertMarkup } from '../../../lib/markup/convert.ts'
import { wikiAddresses } from '../../../lib/markup/wiki-addresses.ts'
import { serve } from '../../../threads/serve.ts'
import { readTask, type RenderWork } from './read.ts'

serve<RenderWork>(async (task, main) => {
  if (task.format !== 'markdown')
    return convertMarkup(task.format, task.text, task.wiki && wikiAddresses(task.wiki))
  const { marks, render } = readTask(task)
  const links = await main.ask(marks)
  return render((_, index) => links[index])
})
