import { family, secret } from './declare.ts'

const TOKEN = secret('token', 'Token', {
  help: 'The chat shows it when the command is made, and sends it along with each one.',
})

export const commands = family(
  'commands',
  {
    slug: 'mattermost-slash-commands',
    title: 'Mattermost slash commands',
    description: 'Work with issues, deployments and jobs from Mattermost.',
    fields: [TOKEN],
  },
  {
    slug: 'slack-slash-commands',
    title: 'Slack slash commands',
    description: 'Work with issues, deployments and jobs from Slack.',
    fields: [TOKEN],
  },
)
