dP7
const C = () => <><A b={1}>text</A></>;
export { C };
