// The questions that the stories are about, as an agent writes them (`ask_user`) and as the gateway takes them.

export const DEPLOY = {
  id: 'deploy_target', header: 'Deploy', question: 'Where should I deploy?',
  options: [{ label: 'Staging (Recommended)', description: 'Safe to break' }, { label: 'Production' }],
};

export const THREE = [
  {
    id: 'db', header: 'Database', question: 'Which database?',
    options: [{ label: 'SQLite (Recommended)' }, { label: 'Postgres', description: 'Needs a server' }, { label: 'MySQL' }],
  },
  {
    id: 'features', header: 'Features', question: 'Which features?', multiSelect: true,
    options: [{ label: 'Login' }, { label: 'Search' }, { label: 'Export, CSV' }],
  },
  { id: 'name', header: 'Name', question: 'What is it called?', options: [{ label: 'Alpha' }, { label: 'Beta' }] },
];

/** A question request from questions as an agent writes them. */
export const request = (questions, more) => ({
  questions: questions.map(({ id, ...question }) => ({ questionId: id, ...question, isOther: true })), ...more,
});
